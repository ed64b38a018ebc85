// SPDX-License-Identifier: Apache-2.0
#include "registration_checks.h"

#include <set>

#include <fmt/format.h>

namespace milena::controller {

Result<void> check_features(const View& view, const std::map<std::string, metadata::VersionRange>& features) {
    for (const auto& [name, level] : view.image.features->levels) {
        const auto at = features.find(name);
        const metadata::VersionRange range = at != features.end() ? at->second : metadata::VersionRange{};
        if (level < range.min || level > range.max) {
            return fail(ErrorCode::unsupported_version,
                        fmt::format("feature {} has level {} in this cluster, the node supports {} to {}", name, level,
                                    range.min, range.max));
        }
    }
    return ok();
}

Result<void> check_log_directories(const View& view, BrokerId broker, const std::vector<Uuid>& directories) {
    const auto invalid = [](std::string why) { return fail(ErrorCode::invalid_registration, std::move(why)); };
    if (!view.versions().log_directories) return ok();
    if (directories.empty()) return invalid("the broker names no log directories");
    std::set<Uuid> own;
    for (const Uuid directory : directories) {
        if (directory.is_reserved()) return invalid(fmt::format("log directory id {} is reserved", directory));
        if (!own.insert(directory).second) return invalid(fmt::format("log directory {} is named twice", directory));
    }
    for (const auto& [id, other] : view.image.cluster->brokers) {
        if (id == broker) continue;
        for (const Uuid directory : other.log_directories) {
            if (own.contains(directory)) {
                return invalid(fmt::format("log directory {} is registered by broker {}", directory, id));
            }
        }
    }
    return ok();
}

}  // namespace milena::controller
