// SPDX-License-Identifier: Apache-2.0
// Which page shows what. A scrape of many partitions is written on a pool thread, so the control
// thread goes on meanwhile.
#include "admin_pages.h"

namespace milena::node {
namespace {

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
    telemetry::Page page;
    metrics_.write_control(page);
    std::string text;
    co_await env_.offload(env::Pool::compute, [&] {
        metrics_.write_others(page);
        text = page.text();
    });
    co_return text;
}

}  // namespace milena::node
