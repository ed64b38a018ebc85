// SPDX-License-Identifier: Apache-2.0
// The contract tests run against both Envs, the real one and the simulated one: what holds in one
// holds in the other, or a simulation proves nothing.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "milena/env/env.h"

namespace milena::env {

/// One Env for one test, and how to run something in it.
class Place {
public:
    virtual ~Place() = default;
    virtual Env& env() = 0;
    /// An empty directory, or one to be made, of this test alone.
    virtual std::string directory() = 0;
    /// Runs `task` on core 0 to its end. Once a test.
    virtual void run(std::function<Task<void>()> task) = 0;
};

std::unique_ptr<Place> make_real_place();
std::unique_ptr<Place> make_simulated_place();

class EnvContract : public testing::TestWithParam<std::unique_ptr<Place> (*)()> {
protected:
    Env& env() { return place_->env(); }
    std::string directory() { return place_->directory(); }
    void run(std::function<Task<void>()> task) { place_->run(std::move(task)); }
    /// Takes the Env down, and everything in it.
    void end() { place_.reset(); }

private:
    std::unique_ptr<Place> place_ = GetParam()();
};

}  // namespace milena::env

#define RUN_ON_BOTH(suite)                                                 \
    INSTANTIATE_TEST_SUITE_P(                                              \
        , suite, testing::Values(&make_real_place, &make_simulated_place), \
        [](const auto& which) { return which.param == &make_real_place ? "Real" : "Simulated"; })
