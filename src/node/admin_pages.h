// SPDX-License-Identifier: Apache-2.0
// The pages of a node: /metrics for Prometheus, /healthz for load balancers and operators (200 when
// clients are served, 503 before and after), /healthz/live for those who would restart a process
// that hangs (200 as long as it answers).
#pragma once

#include <memory>
#include <vector>

#include "health.h"
#include "milena/server/admin.h"
#include "milena/telemetry/registry.h"

namespace milena::node {

class NodeAdminPages final : public server::AdminPages {
public:
    NodeAdminPages(env::Env& env, const Health& health, const telemetry::Registry& metrics)
        : env_(env), health_(health), metrics_(metrics) {}

    env::Task<std::optional<server::AdminAnswer>> get(std::string path) override;

private:
    /// A page that was begun after the call. However many ask, one page is written at a time, and
    /// at most ten a second.
    env::Task<std::string> metrics_page();
    env::Task<void> write_page();

    env::Env& env_;
    const Health& health_;
    const telemetry::Registry& metrics_;
    // Pages by number; all on the control thread.
    std::uint64_t begun_ = 0;
    std::uint64_t finished_ = 0;
    bool is_writing_ = false;
    env::Instant next_begin_{};
    std::shared_ptr<const std::string> page_;
    std::vector<std::function<void()>> waiting_;
};

}  // namespace milena::node
