// SPDX-License-Identifier: Apache-2.0
// Publishes images to clients, and wakes those who wait for one.
#include "milena/server/served_image.h"

namespace milena::server {

ServedImage::ServedImage(env::Env& env) : env_(env), image_(metadata::Image::empty()) {}

void ServedImage::announce(Offset offset) {
    progress_.with([&](Progress& progress) { progress.announced = offset; });
}

void ServedImage::publish(std::shared_ptr<const metadata::Image> image) {
    INVARIANT(image->provenance.last_offset >= load()->provenance.last_offset,
              "a served image never goes back");
    image_.store(std::move(image));
    const auto waiting =
        progress_.with([](Progress& progress) { return std::exchange(progress.waiting, {}); });
    for (const auto& one : waiting) {
        if (const auto wakeup = one.lock()) wakeup->notify();
    }
}

void ServedImage::end() {
    const auto waiting = progress_.with([](Progress& progress) {
        progress.ended = true;
        return std::exchange(progress.waiting, {});
    });
    for (const auto& one : waiting) {
        if (const auto wakeup = one.lock()) wakeup->notify();
    }
}

env::Task<bool> ServedImage::catch_up(env::Executor owner, env::Instant deadline) {
    const auto wakeup = std::make_shared<env::Wakeup>(env_, owner);
    const Offset wanted =
        progress_.with([](const Progress& progress) { return progress.announced; });
    for (;;) {
        // Enlist, then look: an image that comes in between wakes us for nothing, none is missed.
        const bool has_ended = progress_.with([&](Progress& progress) {
            progress.waiting.push_back(wakeup);
            return progress.ended;
        });
        if (load()->provenance.last_offset >= wanted) co_return true;
        if (has_ended) co_return false;
        if (!co_await wakeup->wait_until(deadline))
            co_return load()->provenance.last_offset >= wanted;
    }
}

}  // namespace milena::server
