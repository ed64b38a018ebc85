// SPDX-License-Identifier: Apache-2.0
// Requests with everything that no test cares for.
#include "messages.h"

#include "milena/base/bytes.h"

namespace milena::coordinator::test {

Bytes bytes(std::string_view text) {
    const BytesView view = as_bytes(text);
    return {view.begin(), view.end()};
}

Bytes subscription(const std::vector<std::string>& topics) {
    std::size_t size = 10;
    for (const auto& topic : topics) size += 2 + topic.size();
    Bytes out(size);
    ByteWriter writer(out);
    writer.write(std::int16_t{0});
    writer.write(static_cast<std::int32_t>(topics.size()));
    for (const auto& topic : topics) {
        writer.write(static_cast<std::int16_t>(topic.size()));
        writer.write_bytes(as_bytes(topic));
    }
    writer.write(std::int32_t{-1});
    return out;
}

JoinRequest join_request(std::string group, std::string client) {
    JoinRequest request;
    request.group = std::move(group);
    request.client_id = std::move(client);
    request.client_host = "/127.0.0.1";
    request.protocol_type = "consumer";
    request.protocols.push_back({"range", subscription({"t"})});
    request.session_timeout_ms = 10'000;
    request.rebalance_timeout_ms = 60'000;
    return request;
}

CommitRequest commit_request(std::string group, std::string topic, std::int64_t offset) {
    CommitRequest request;
    request.group = std::move(group);
    auto& one = request.topics.emplace_back();
    one.name = std::move(topic);
    auto& part = one.partitions.emplace_back();
    part.offset = Offset(offset);
    return request;
}

FetchOffsetsRequest fetch_request(std::string group, std::string topic) {
    FetchOffsetsRequest request;
    request.group = std::move(group);
    auto& one = request.topics.emplace().emplace_back();
    one.name = std::move(topic);
    one.partitions.emplace_back(0);
    return request;
}

}  // namespace milena::coordinator::test
