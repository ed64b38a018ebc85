// SPDX-License-Identifier: Apache-2.0
// The log directory is the name without its last two parts.
#include "milena/wire/cold_reads.h"

namespace milena::wire {
namespace {

std::string_view parent_of(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

}  // namespace

std::shared_ptr<env::PoolTurns> ColdReads::turns_for(std::string_view path) {
    const std::string_view directory = parent_of(parent_of(path));
    return by_directory_.with([&](ByDirectory& known) {
        const auto found = known.find(directory);
        if (found != known.end()) return found->second;
        auto& turns = known[std::string(known.size() < kDirectoriesMax ? directory : "")];
        if (turns == nullptr) turns = std::make_shared<env::PoolTurns>(kAtOnce);
        return turns;
    });
}

}  // namespace milena::wire
