// SPDX-License-Identifier: Apache-2.0
// Counts and compares.
#include "client_reach.h"

#include <algorithm>

namespace milena::server {
namespace {

constexpr std::int64_t kQuestionsOfProducers = 3;
constexpr std::int64_t kQuestionsOfOthers = 10;
/// Who asks less long may just be starting, while a topic is being made.
constexpr env::Duration kShortest = std::chrono::seconds(5);
/// Who pauses longer looks at the cluster now and then, and needs no leader.
constexpr env::Duration kPauseMax = std::chrono::seconds(30);

bool is_loopback(std::string_view host) {
    return host == "localhost" || host == "::1" || host.starts_with("127.");
}

/// FNV-1a of both, with a byte between them that neither has, its bits mixed so that any of them
/// choose a bucket well. Never 0.
std::uint64_t mark_of(std::string_view address, std::string_view client_id) {
    std::uint64_t hash = 0xCBF29CE484222325;
    const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 0x100000001B3; };
    for (const char c : address) add(static_cast<unsigned char>(c));
    add(0);
    for (const char c : client_id) add(static_cast<unsigned char>(c));
    hash = (hash ^ (hash >> 32)) * 0x9E3779B97F4A7C15;
    return (hash ^ (hash >> 29)) | 1;
}

}  // namespace

bool is_asked_of_any_broker(protocol::ApiKey key) {
    using protocol::ApiKey;
    switch (key) {
        case ApiKey::api_versions:
        case ApiKey::metadata:
        case ApiKey::find_coordinator:
        case ApiKey::describe_cluster:
        case ApiKey::init_producer_id:
        case ApiKey::sasl_handshake:
        case ApiKey::sasl_authenticate:
        case ApiKey::get_telemetry_subscriptions:
        case ApiKey::push_telemetry: return true;
        default: return false;
    }
}

bool is_same_place(const env::Endpoint& local, const env::Endpoint& told) {
    if (local.port != told.port) return false;
    // An address of this very connection, or a name of loopback for a client on this machine.
    return local.host == told.host ||
           (is_loopback(local.host) && (told.host == "localhost" || told.host == "::1"));
}

bool LeaderQuestions::asked(bool may_create_topics, env::Instant now) {
    if (count_ == 0 || now - last_ > kPauseMax) {
        count_ = 0;
        first_ = now;
    }
    ++count_;
    last_ = now;
    const std::int64_t enough = may_create_topics ? kQuestionsOfProducers : kQuestionsOfOthers;
    if (is_noticed_ || count_ < enough || now - first_ < kShortest) return false;
    is_noticed_ = true;
    return true;
}

void ReachedClients::note(std::string_view address, std::string_view client_id) {
    const std::uint64_t mark = mark_of(address, client_id);
    auto& marks = buckets_[(mark >> 32) % kBuckets].marks;
    const auto known = std::ranges::find(marks, mark);
    const auto last = known == marks.end() ? marks.end() - 1 : known;
    std::rotate(marks.begin(), last, last + 1);
    marks.front() = mark;
}

bool ReachedClients::contains(std::string_view address, std::string_view client_id) const {
    const std::uint64_t mark = mark_of(address, client_id);
    const auto& marks = buckets_[(mark >> 32) % kBuckets].marks;
    return std::ranges::find(marks, mark) != marks.end();
}

}  // namespace milena::server
