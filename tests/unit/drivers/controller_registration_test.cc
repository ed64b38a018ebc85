// SPDX-License-Identifier: Apache-2.0
// A controller makes itself known, in virtual time, to a controller that may not be there yet.
#include "milena/drivers/controller_registration.h"

#include <gtest/gtest.h>

#include "memory_quorum.h"
#include "milena/drivers/controller.h"
#include "milena/drivers/metadata_publisher.h"
#include "milena/metadata/features.h"
#include "sim/world.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;

class ControllerRegistrationTest : public ::testing::Test {
protected:
    ControllerRegistrationTest() { quorum_.start({&publisher_, host_.get()}); }
    ~ControllerRegistrationTest() override {
        host_->stop();
        world_.run_for(1s);
    }

    static controller::Options options() {
        controller::Options options;
        options.node = BrokerId(1);
        options.cluster_id = "cluster";
        return options;
    }
    static controller::RegisterControllerRequest request() {
        controller::RegisterControllerRequest request;
        request.id = BrokerId(1);
        request.incarnation_id = {3, 4};
        request.endpoints = {{"CONTROLLER", "host", 9093, 0}};
        for (const auto& feature : metadata::supported_features())
            request.features.emplace(feature.name, feature.range);
        return request;
    }
    void on_control(std::function<void()> what) {
        env::post(node_.control(), std::move(what));
        world_.run_for(10ms);
    }
    void lead() {
        on_control([this] { quorum_.lead(); });
    }
    void start() {
        on_control([this] { registration_.start(); });
    }
    const std::map<BrokerId, metadata::ControllerRegistration>& registered() {
        return publisher_.image()->cluster->controllers;
    }

    sim::World world_{1};
    sim::Node& node_ = world_.add_node("n");
    MemoryQuorum quorum_{node_};
    MetadataPublisher publisher_{node_, Logger(),
                                 [](const Error& why) { ADD_FAILURE() << why.why; }};
    std::shared_ptr<ControllerHost> host_ =
        ControllerHost::make(node_, Logger(), options(), quorum_, publisher_);
    ControllerRegistration registration_{node_, Logger(), request(), *host_};
};

TEST_F(ControllerRegistrationTest, TellsWhereItListensAndWhatItCanDo) {
    lead();
    start();
    ASSERT_EQ(registered().size(), 1U);
    const auto& controller = registered().at(BrokerId(1));
    EXPECT_EQ(controller.incarnation_id, (Uuid{3, 4}));
    EXPECT_EQ(controller.endpoints, request().endpoints);
    EXPECT_EQ(controller.features, request().features);
}

TEST_F(ControllerRegistrationTest, WaitsForAController) {
    start();
    world_.run_for(3s);
    EXPECT_TRUE(registered().empty());
    lead();
    world_.run_for(1s);
    EXPECT_EQ(registered().size(), 1U);
}

TEST_F(ControllerRegistrationTest, CanBeStoppedWhileItWaits) {
    start();
    EXPECT_TRUE(world_.run(node_, env::run_on(node_.control(), registration_.stop())));
    lead();
    world_.run_for(1s);
    EXPECT_TRUE(registered().empty());
}

}  // namespace
}  // namespace milena::drivers
