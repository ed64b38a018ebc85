// SPDX-License-Identifier: Apache-2.0
// Tells once, after the start, where this broker listens, what clients will be told, and whether
// that leads back here: most trouble with a new broker is an address that only it can reach, or
// that is somebody else's. Asks as a client would, beside everything else.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "milena/base/logger.h"
#include "milena/env/env.h"

namespace milena::wire {
class Client;
}

namespace milena::drivers {

/// One listener for clients.
struct AdvertisedListener {
    std::string name;
    env::Endpoint bound;
    env::Endpoint advertised;
};

class ListenerCheck {
public:
    ListenerCheck(env::Env& env, Logger log, std::string cluster_id,
                  std::vector<AdvertisedListener> listeners);
    ~ListenerCheck();

    /// On the control thread; one line a listener: info if its address leads here, else warn.
    void start();
    env::Task<void> stop();

private:
    env::Task<void> run();
    env::Task<void> check(const AdvertisedListener& listener);

    env::Env& env_;
    Logger log_;
    std::string cluster_id_;
    std::vector<AdvertisedListener> listeners_;
    std::unique_ptr<wire::Client> client_;  ///< while one is asked
    env::Wakeup ended_;
    bool stopping_ = false;
    bool running_ = false;
};

}  // namespace milena::drivers
