// SPDX-License-Identifier: Apache-2.0
// Asks until the active controller has taken the registration. A cluster whose metadata.version has
// no such records refuses it until it is upgraded.
#include "milena/drivers/controller_registration.h"

namespace milena::drivers {
namespace {

constexpr env::Duration kAnswerWait = std::chrono::seconds(2);
/// Between attempts.
constexpr env::Duration kRetryPause = std::chrono::milliseconds(100);
constexpr env::Duration kUpgradePause = std::chrono::seconds(5);

}  // namespace

ControllerRegistration::ControllerRegistration(env::Env& env, Logger log,
                                               controller::RegisterControllerRequest registration,
                                               controller::Gateway& controller)
    : env_(env),
      log_(std::move(log)),
      registration_(std::move(registration)),
      controller_(controller),
      pause_(env, env.control()),
      ended_(env, env.control()) {}

void ControllerRegistration::start() {
    running_ = true;
    env::spawn(env_.control(), run());
}

env::Task<void> ControllerRegistration::run() {
    while (!stopping_) {
        const auto done = co_await controller_.register_controller(
            registration_, env_.clock().now() + kAnswerWait);
        if (done) {
            LOG_INFO(log_, "controller registered",
                     kv("incarnation_id", registration_.incarnation_id));
            break;
        }
        const bool must_be_upgraded = done.error().code == ErrorCode::unsupported_version;
        co_await pause_.wait_until(env_.clock().now() +
                                   (must_be_upgraded ? kUpgradePause : kRetryPause));
    }
    running_ = false;
    ended_.notify();
}

env::Task<void> ControllerRegistration::stop() {
    stopping_ = true;
    pause_.notify();
    while (running_) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers
