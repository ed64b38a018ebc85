// SPDX-License-Identifier: Apache-2.0
// The metadata that this broker's clients are told. It follows the node's image, one step behind:
// an image is served once this node's replicas are what it says, so nobody is sent to a leader that
// does not know yet that it is one.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "milena/env/env.h"
#include "milena/env/guarded.h"
#include "milena/metadata/image.h"

namespace milena::server {

class ServedImage {
public:
    explicit ServedImage(env::Env& env);

    /// From any thread. It never goes back.
    std::shared_ptr<const metadata::Image> load() const { return image_.load(); }

    /// The node's image has come to `offset`; the replicas are being made what it says.
    void announce(Offset offset);
    /// They are: `image` is served from now on, those who wait for it go on. Calls come in the
    /// order of the images.
    void publish(std::shared_ptr<const metadata::Image> image);

    /// No further image comes: whoever waits gives up.
    void end();

    /// Until everything that was announced before this call is served; false if `deadline` or end()
    /// comes first. From a coroutine bound to `owner`.
    env::Task<bool> catch_up(env::Executor owner, env::Instant deadline);

private:
    env::Env& env_;
    env::Published<metadata::Image> image_;
    struct Progress {
        bool ended = false;
        Offset announced{-1};
        /// All are woken by every image: there are few of both.
        std::vector<std::weak_ptr<env::Wakeup>> waiting;
    };
    env::Guarded<Progress> progress_;
};

}  // namespace milena::server
