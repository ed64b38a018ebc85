// SPDX-License-Identifier: Apache-2.0
// Waiting for an image that is announced and not yet served.
#include "milena/server/served_image.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::server {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<const metadata::Image> image_at(std::int64_t offset) {
    auto image = std::make_shared<metadata::Image>(*metadata::Image::empty());
    image->provenance.last_offset = Offset(offset);
    return image;
}

TEST(ServedImage, CatchUpWaitsForWhatWasAnnouncedBefore) {
    sim::World world(1);
    auto& node = world.add_node("n");
    ServedImage served(node);
    served.announce(Offset(5));
    std::optional<bool> done;
    env::spawn(
        node.core(0),
        [](sim::Node& self, ServedImage& image, std::optional<bool>& out) -> env::Task<void> {
            out = co_await image.catch_up(self.core(0), self.clock().now() + 10s);
        }(node, served, done));
    world.run_for(1s);
    EXPECT_FALSE(done.has_value());
    served.publish(image_at(4));
    world.run_for(1s);
    EXPECT_FALSE(done.has_value()) << "4 is not yet 5";
    served.announce(Offset(9));
    served.publish(image_at(5));
    world.run_for(1s);
    EXPECT_EQ(done, true);
    EXPECT_EQ(served.load()->provenance.last_offset, Offset(5));
}

TEST(ServedImage, CatchUpGivesUpAtItsDeadline) {
    sim::World world(1);
    auto& node = world.add_node("n");
    ServedImage served(node);
    served.announce(Offset(5));
    std::optional<bool> done;
    env::spawn(
        node.core(0),
        [](sim::Node& self, ServedImage& image, std::optional<bool>& out) -> env::Task<void> {
            out = co_await image.catch_up(self.core(0), self.clock().now() + 1s);
        }(node, served, done));
    world.run_for(2s);
    EXPECT_EQ(done, false);
}

TEST(ServedImage, WhoeverWaitsGivesUpAtTheEnd) {
    sim::World world(1);
    auto& node = world.add_node("n");
    ServedImage served(node);
    served.announce(Offset(5));
    std::optional<bool> done;
    const auto wait = [&] {
        env::spawn(
            node.core(0),
            [](sim::Node& self, ServedImage& image, std::optional<bool>& out) -> env::Task<void> {
                out = co_await image.catch_up(self.core(0), self.clock().now() + 1h);
            }(node, served, done));
        world.run_for(1s);
    };
    wait();
    EXPECT_FALSE(done.has_value());
    served.end();
    world.run_for(1s);
    EXPECT_EQ(done, false);
    done.reset();
    wait();
    EXPECT_EQ(done, false) << "also who comes after it";
}

TEST(ServedImageDeathTest, NeverGoesBack) {
    sim::World world(1);
    ServedImage served(world.add_node("n"));
    served.publish(image_at(4));
    EXPECT_DEATH(served.publish(image_at(3)), "never goes back");
}

}  // namespace
}  // namespace milena::server
