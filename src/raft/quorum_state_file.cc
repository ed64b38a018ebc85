// SPDX-License-Identifier: Apache-2.0
// One line of JSON, written in Kafka's order of the members so that the files compare byte for
// byte.
#include "milena/raft/quorum_state_file.h"

#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace milena::raft {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kFileBytesMax = 1 << 20;

std::unexpected<Error> malformed(std::string_view what) {
    return fail(ErrorCode::corrupt_message, fmt::format("not a quorum state: {}", what));
}

Result<std::int32_t> int_member(const Json& json, const char* name) {
    const auto member = json.find(name);
    if (member == json.end() || !member->is_number_integer()) return malformed(name);
    const auto number = member->get<std::int64_t>();
    if (number < -1 || number > std::numeric_limits<std::int32_t>::max()) return malformed(name);
    return static_cast<std::int32_t>(number);
}

Result<Uuid> uuid_member(const Json& json, const char* name) {
    const auto member = json.find(name);
    if (member == json.end() || !member->is_string()) return malformed(name);
    const auto id = Uuid::parse(member->get_ref<const std::string&>());
    if (!id) return malformed(name);
    return *id;
}

}  // namespace

std::string encode_quorum_state(const QuorumState& state, std::int16_t kraft_version,
                                const VoterSet& voters) {
    const ReplicaKey voted = state.voted.value_or(ReplicaKey());
    if (kraft_version >= 1) {
        return fmt::format(R"({{"leaderId":{},"leaderEpoch":{},"votedId":{},)"
                           R"("votedDirectoryId":"{}","data_version":1}})",
                           state.leader, state.epoch, voted.id, voted.directory);
    }
    std::string ids;
    for (const BrokerId id : voters.ids())
        ids += fmt::format(R"({}{{"voterId":{}}})", ids.empty() ? "" : ",", id);
    return fmt::format(R"({{"clusterId":"","leaderId":{},"leaderEpoch":{},"votedId":{},)"
                       R"("appliedOffset":0,"currentVoters":[{}],"data_version":0}})",
                       state.leader, state.epoch, voted.id, ids);
}

Result<QuorumState> decode_quorum_state(std::string_view text) {
    const Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) return malformed("no JSON object");
    TRY(const std::int32_t version, int_member(json, "data_version"));
    if (version != 0 && version != 1) return malformed(fmt::format("data_version {}", version));
    TRY(const std::int32_t leader, int_member(json, "leaderId"));
    TRY(const std::int32_t epoch, int_member(json, "leaderEpoch"));
    TRY(const std::int32_t voted, int_member(json, "votedId"));
    if (epoch < 0) return malformed("leaderEpoch");
    QuorumState state{
        .epoch = LeaderEpoch(epoch), .leader = BrokerId(leader), .voted = std::nullopt};
    if (voted < 0) return state;
    state.voted = ReplicaKey{BrokerId(voted), {}};
    if (version == 1) {
        TRY(state.voted->directory, uuid_member(json, "votedDirectoryId"));
    }
    return state;
}

Result<QuorumState> read_quorum_state(env::FileSystem& files, const std::string& directory) {
    const std::string path = directory + "/" + std::string(kQuorumStateFile);
    if (!files.exists(path)) return QuorumState{};
    TRY(const std::string text, env::read_file(files, path, kFileBytesMax));
    if (text.empty()) return QuorumState{};
    Result<QuorumState> state = decode_quorum_state(text);
    if (!state) return fail_at(path, state.error());
    return state;
}

}  // namespace milena::raft
