// SPDX-License-Identifier: Apache-2.0
// Which page shows what. A scrape of many partitions is written on a pool thread, so the control
// thread goes on meanwhile.
#include "admin_pages.h"

namespace milena::node {
namespace {

/// From the beginning of one page of metrics to that of the next.
constexpr env::Duration kPageInterval = std::chrono::milliseconds(100);
constexpr std::string_view kJson = "application/json";
constexpr std::string_view kPrometheusText = "text/plain; version=0.0.4; charset=utf-8";

}  // namespace

env::Task<std::optional<server::AdminAnswer>> NodeAdminPages::get(std::string path) {
    if (path == "/metrics") {
        std::string text = co_await metrics_page();
        co_return server::AdminAnswer{200, kPrometheusText, std::move(text)};
    }
    if (path == "/healthz/live") co_return server::AdminAnswer{200, kJson, health_.json()};
    if (path == "/healthz") {
        const int status = health_.stage() == LifeStage::ready ? 200 : 503;
        co_return server::AdminAnswer{status, kJson, health_.json()};
    }
    co_return std::nullopt;
}

env::Task<std::string> NodeAdminPages::metrics_page() {
    const std::uint64_t wanted = begun_ + 1;
    env::Wakeup finished(env_, env_.control());
    while (finished_ < wanted) {
        if (!is_writing_) {
            co_await write_page();
        } else {
            waiting_.push_back(finished.handle());
            co_await finished.wait_until(env::kNever);
        }
    }
    co_return *page_;
}

env::Task<void> NodeAdminPages::write_page() {
    is_writing_ = true;
    const env::Instant now = env_.clock().now();
    if (now < next_begin_) co_await env_.sleep(env_.control(), next_begin_ - now);
    next_begin_ = env_.clock().now() + kPageInterval;
    const std::uint64_t number = ++begun_;
    telemetry::Page page;
    metrics_.write_control(page);
    auto text = std::make_shared<std::string>();
    co_await env_.offload(env::Pool::compute, [&] {
        metrics_.write_others(page);
        *text = page.text();
    });
    page_ = std::move(text);
    finished_ = number;
    is_writing_ = false;
    for (const auto& tell : std::exchange(waiting_, {})) tell();
}

}  // namespace milena::node
