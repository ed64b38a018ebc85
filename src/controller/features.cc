// SPDX-License-Identifier: Apache-2.0
// Whether a level is one that every node of the cluster can do, and whether going there loses
// metadata; then it is a record. The texts are what Kafka's tools show to their users.
#include "features.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "configs.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {
namespace {

using metadata::VersionRange;
using Levels = std::map<std::string, std::int16_t, std::less<>>;

/// Eligible replicas are written by this level of metadata.version and above (4.0-IV1).
constexpr std::int16_t kFirstWithEligibleReplicas = 23;

std::unexpected<Error> invalid(const FeatureUpdate& update, std::string_view why) {
    return fail(ErrorCode::invalid_update_version,
                fmt::format("Invalid update version {} for feature {}. {}", update.level,
                            update.feature, why));
}

/// `who` can do the level, or why not.
Result<void> check_supported(const FeatureUpdate& update, std::string_view who,
                             VersionRange range) {
    if (update.level >= range.min && update.level <= range.max) return ok();
    if (range.max == 0)
        return invalid(update, fmt::format("{} does not support this feature.", who));
    return invalid(update,
                   fmt::format("{} only supports versions {}-{}", who, range.min, range.max));
}

VersionRange range_of(const std::map<std::string, VersionRange>& features,
                      const std::string& name) {
    const auto at = features.find(name);
    return at != features.end() ? at->second : VersionRange{};
}

const metadata::SupportedFeature* find_feature(std::string_view name) {
    const auto all = metadata::supported_features();
    const auto at = std::ranges::find(all, name, &metadata::SupportedFeature::name);
    return at != all.end() ? &*at : nullptr;
}

Result<void> check_nodes(const View& view, const FeatureUpdate& update) {
    const auto* const own = find_feature(update.feature);
    TRY_VOID(check_supported(update, fmt::format("Local controller {}", view.options.node),
                             own ? own->range : VersionRange{}));
    // The quorum sees to what its voters can do.
    if (update.feature == metadata::kKraftVersion) return ok();
    for (const auto& [id, broker] : view.image.cluster->brokers) {
        TRY_VOID(check_supported(update, fmt::format("Broker {}", id),
                                 range_of(broker.features, update.feature)));
    }
    for (const auto& [id, controller] : view.image.cluster->controllers) {
        if (id == view.options.node) continue;
        TRY_VOID(check_supported(update, fmt::format("Controller {}", id),
                                 range_of(controller.features, update.feature)));
    }
    return ok();
}

/// UNKNOWN and whatever else a client may send.
bool is_known(FeatureUpgrade type) {
    return type == FeatureUpgrade::upgrade || type == FeatureUpgrade::safe_downgrade ||
           type == FeatureUpgrade::unsafe_downgrade;
}

Result<void> check_direction(const FeatureUpdate& update, std::int16_t now) {
    const bool upgrades = update.type == FeatureUpgrade::upgrade;
    if (update.level < now && upgrades) {
        return invalid(update,
                       "Can't downgrade the version of this feature without setting the upgrade "
                       "type to either safe or unsafe downgrade.");
    }
    if (update.level > now && !upgrades)
        return invalid(update, "Can't downgrade to a newer version.");
    return ok();
}

Result<void> check_metadata_version(const FeatureUpdate& update, std::int16_t now) {
    if (update.level >= now || !metadata::loses_metadata(now, update.level)) return ok();
    const bool is_unsafe = update.type == FeatureUpgrade::unsafe_downgrade;
    return fail(
        ErrorCode::invalid_update_version,
        fmt::format("Unsupported metadata.version downgrade from {} to {}. {}", now, update.level,
                    is_unsafe ? "Unsafe metadata downgrade is not supported in this "
                                "version."
                              : "Refusing to perform the requested downgrade because it "
                                "might delete metadata information."));
}

Result<void> check_kraft_version(const FeatureUpdate& update, std::int16_t now) {
    if (update.level < now) return invalid(update, "Can't downgrade the version of this feature.");
    if (update.level > now) {
        return invalid(update, "The voters of this quorum are those of controller.quorum.voters.");
    }
    return ok();
}

/// `proposed` holds the levels as they would be.
Result<void> check_dependencies(const FeatureUpdate& update, const Levels& proposed) {
    if (!find_feature(update.feature))
        return invalid(update, fmt::format("Feature {} not found.", update.feature));
    const bool needs_fields = update.feature == kElrVersion && update.level > 0;
    if (needs_fields &&
        proposed.at(std::string(metadata::kMetadataVersion)) < kFirstWithEligibleReplicas) {
        return invalid(update,
                       fmt::format("{} could not be set to {} because it depends on "
                                   "metadata.version={} (4.0-IV1)",
                                   update.feature, update.level, kFirstWithEligibleReplicas));
    }
    return ok();
}

class Update {
public:
    Update(const View& view, std::int16_t kraft_version)
        : view_(view), kraft_version_(kraft_version), proposed_(view.image.features->levels) {}

    void propose(const FeatureUpdate& update) { proposed_[update.feature] = update.level; }

    Result<Records> records(const FeatureUpdate& update) const {
        if (!is_known(update.type))
            return invalid(update, "The controller does not support the given upgrade type.");
        if (update.level < 0) return invalid(update, "A feature version cannot be less than 0.");
        TRY_VOID(check_nodes(view_, update));
        const std::int16_t now = level(update.feature);
        TRY_VOID(check_direction(update, now));
        if (update.feature == metadata::kKraftVersion) {
            TRY_VOID(check_kraft_version(update, now));
            return Records();
        }
        if (update.feature == metadata::kMetadataVersion) {
            TRY_VOID(check_metadata_version(update, now));
        } else {
            TRY_VOID(check_dependencies(update, proposed_));
        }
        return Records{
            metadata::encode_record(protocol::FeatureLevelRecord{update.feature, update.level})};
    }

private:
    std::int16_t level(std::string_view feature) const {
        return feature == metadata::kKraftVersion ? kraft_version_
                                                  : view_.image.features->level(feature);
    }

    const View& view_;
    std::int16_t kraft_version_;
    Levels proposed_;
};

bool sets_eligible_replicas(const std::vector<FeatureUpdate>& updates) {
    return std::ranges::any_of(updates, [](const FeatureUpdate& update) {
        return update.feature == kElrVersion && update.level > 0;
    });
}

/// Of a feature that is named more than once the last counts.
std::vector<FeatureUpdate> without_repetition(const std::vector<FeatureUpdate>& updates) {
    std::vector<FeatureUpdate> last;
    for (const FeatureUpdate& update : updates) {
        const auto before = std::ranges::find(last, update.feature, &FeatureUpdate::feature);
        if (before == last.end()) {
            last.push_back(update);
        } else {
            *before = update;
        }
    }
    return last;
}

}  // namespace

Decision<Result<void>> update_features(const View& view, const UpdateFeaturesRequest& request,
                                       std::int16_t kraft_version) {
    const std::vector<FeatureUpdate> updates = without_repetition(request.updates);
    Update update(view, kraft_version);
    for (const FeatureUpdate& one : updates) update.propose(one);
    Decision<Result<void>> decision{{}, ok()};
    for (const FeatureUpdate& one : updates) {
        Result<Records> records = update.records(one);
        if (!records) return {{}, std::unexpected(std::move(records).error())};
        append(decision.records, *std::move(records));
    }
    if (request.validate_only) {
        decision.records.clear();
    } else if (sets_eligible_replicas(updates)) {
        Records before = common_min_insync_replicas(view.options, view.image);
        append(before, std::move(decision.records));
        decision.records = std::move(before);
    }
    return decision;
}

}  // namespace milena::controller
