// SPDX-License-Identifier: Apache-2.0
// Looks again every few milliseconds: rarely anybody waits here, and never for long.
#include "image/successors.h"

namespace milena::server {
namespace {

/// Between two looks at whether a lost leader has a successor.
constexpr env::Duration kLookAgain = std::chrono::milliseconds(5);

}  // namespace

env::Task<void> await_successors(const Request& request, LedByOneOf is_led) {
    const Broker& broker = request.broker();
    if (broker.lost_leaders == nullptr) co_return;
    const env::Instant give_up = broker.env.clock().now() + LostLeaders::kUndecided;
    std::vector<BrokerId> lost;
    std::shared_ptr<const metadata::Image> image;
    while (broker.env.clock().now() < give_up && !request.connection.is_closed()) {
        auto lost_now = broker.lost_leaders->undecided();
        if (lost_now.empty()) co_return;
        auto image_now = broker.image.load();
        if (lost_now != lost || image_now != image) {
            lost = std::move(lost_now);
            image = std::move(image_now);
            if (!is_led(lost, *image)) co_return;
        }
        const Waiting waiting(request);
        co_await broker.env.sleep(request.connection.owner(), kLookAgain);
    }
}

}  // namespace milena::server
