// SPDX-License-Identifier: Apache-2.0
// The two places that the contract tests run in.
#include "contract.h"

#include <cstdlib>
#include <filesystem>

#include "sim/world.h"

namespace milena::env {
namespace {

class RealPlace final : public Place {
public:
    RealPlace() {
        std::string name = (std::filesystem::temp_directory_path() / "milena-env-XXXXXX").string();
        directory_ = ::mkdtemp(name.data());
    }
    ~RealPlace() override { std::filesystem::remove_all(directory_); }

    Env& env() override { return *env_; }
    std::string directory() override { return directory_; }
    void run(std::function<Task<void>()> task) override {
        spawn(env_->core(0), run_and_stop(std::move(task)));
        env_->run();
    }

private:
    Task<void> run_and_stop(std::function<Task<void>()> task) {
        co_await task();
        env_->stop();
    }

    std::unique_ptr<RealEnv> env_ = make_real_env(2);
    std::string directory_;
};

class SimulatedPlace final : public Place {
public:
    SimulatedPlace() { EXPECT_TRUE(node_.files().create_directories("/test")); }

    Env& env() override { return node_; }
    std::string directory() override { return "/test"; }
    void run(std::function<Task<void>()> task) override {
        EXPECT_TRUE(world_.run(node_, call(std::move(task))));
    }

private:
    static Task<void> call(std::function<Task<void>()> task) { co_await task(); }

    sim::World world_{1};
    sim::Node& node_ = world_.add_node("n1");
};

}  // namespace

std::unique_ptr<Place> make_real_place() {
    return std::make_unique<RealPlace>();
}
std::unique_ptr<Place> make_simulated_place() {
    return std::make_unique<SimulatedPlace>();
}

}  // namespace milena::env
