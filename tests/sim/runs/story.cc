// SPDX-License-Identifier: Apache-2.0
// Seconds since the beginning of the world, then the line.
#include "sim/runs/story.h"

#include <cstdio>

namespace milena::sim {
namespace {

class Story final : public LogSink {
public:
    explicit Story(const World& world) : world_(world) {}

    void write(const LogLine& line) override {
        const std::chrono::duration<double> at = world_.now().time_since_epoch();
        fmt::print("{:12.6f} {}\n", at.count(), line.text());
    }

private:
    const World& world_;
};

}  // namespace

std::shared_ptr<LogSink> make_story(const World& world) {
    return std::make_shared<Story>(world);
}

}  // namespace milena::sim
