// SPDX-License-Identifier: Apache-2.0
// Counts generations and departures.
#include "churn.h"

#include <algorithm>
#include <tuple>

#include "classic_group.h"

namespace milena::coordinator {
namespace {

/// What is kept of a client's name.
constexpr std::size_t kNameBytesMax = 255;

FlappingClient named(const Member& member) {
    FlappingClient client;
    client.client_id = member.client_id.substr(0, kNameBytesMax);
    client.client_host = member.client_host.substr(0, kNameBytesMax);
    if (member.instance_id) client.instance_id = member.instance_id->substr(0, kNameBytesMax);
    return client;
}

bool are_the_same(const FlappingClient& a, const FlappingClient& b) {
    if (a.instance_id || b.instance_id) return a.instance_id == b.instance_id;
    return a.client_id == b.client_id && a.client_host == b.client_host;
}

}  // namespace

void Churn::member_left(const Member& member, env::Instant now) {
    has_changed_ = true;
    std::erase_if(departed_, [&](const Departed& one) { return now - one.last >= kRemembered; });
    FlappingClient client = named(member);
    const auto known = std::ranges::find_if(
        departed_, [&](const Departed& one) { return are_the_same(one.client, client); });
    if (known != departed_.end()) {
        client.departures = known->client.departures;
        departed_.erase(known);
    } else if (departed_.size() == kClientsMax) {
        departed_.erase(departed_.begin());
    }
    ++client.departures;
    departed_.push_back({std::move(client), now});
}

void Churn::rebalance_begins(env::Instant now) {
    if (!began_ || now - *began_ >= kCalm) storm_ = 0;
}

void Churn::generation_begins(env::Instant now) {
    if (has_changed_) ++storm_;
    has_changed_ = false;
    began_ = now;
}

env::Instant Churn::next_generation_at(env::Duration longest) const {
    if (!has_changed_ || !began_ || storm_ < kFree) return env::Instant::min();
    // Shifted no further than the longest delay that anybody could ask for.
    constexpr std::uint32_t kDoublingsMax = 20;
    const env::Duration delay = kShortest * (1 << std::min(storm_ - kFree, kDoublingsMax));
    return *began_ + std::min(delay, longest);
}

std::vector<FlappingClient> Churn::flapping(env::Instant now) const {
    std::vector<FlappingClient> out;
    for (const Departed& one : departed_) {
        if (one.client.departures >= kFlaps && now - one.last < kRemembered)
            out.push_back(one.client);
    }
    std::ranges::sort(out, [](const FlappingClient& a, const FlappingClient& b) {
        return std::tie(b.departures, a) < std::tie(a.departures, b);
    });
    return out;
}

}  // namespace milena::coordinator
