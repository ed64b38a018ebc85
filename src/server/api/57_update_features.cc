// SPDX-License-Identifier: Apache-2.0
// UpdateFeatures: raises or lowers levels of features, all that are named or none (KIP-584,
// KIP-778).
#include "milena/protocol/messages/update_features.h"

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using controller::FeatureUpgrade;
using protocol::UpdateFeaturesRequest;
using protocol::UpdateFeaturesResponse;

/// Later ones answer for all features at once.
constexpr std::int16_t kLastVersionWithResults = 1;
/// The time that a request gives is not looked at.
constexpr env::Duration kWait = std::chrono::seconds(30);

/// Of version 0 Kafka's controller reads no more than the level: `allow_downgrade` allows nothing.
controller::UpdateFeaturesRequest wanted(const UpdateFeaturesRequest& body) {
    controller::UpdateFeaturesRequest out{.updates = {}, .validate_only = body.validate_only};
    for (const auto& asked : body.feature_updates) {
        out.updates.push_back({std::string(asked.feature), asked.max_version_level,
                               static_cast<FeatureUpgrade>(asked.upgrade_type)});
    }
    return out;
}

env::Task<Result<void>> update(Request& request, const UpdateFeaturesRequest& body) {
    CO_TRY_VOID(check_cluster_right(request, security::Operation::alter));
    const env::Instant deadline = request.received + kWait;
    CO_TRY_VOID(co_await ask_controller(request, [&](controller::Gateway& controller) {
        return controller.update_features(wanted(body), deadline);
    }));
    co_await show_change(request, deadline);
    co_return ok();
}

void add_results(Request& request, const UpdateFeaturesRequest& body,
                 UpdateFeaturesResponse& response) {
    auto results = request.arena.make_array<UpdateFeaturesResponse::UpdatableFeatureResult>(
        body.feature_updates.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        results[i].feature = body.feature_updates[i].feature;
        results[i].error_message = "NONE";
    }
    response.results = results;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<UpdateFeaturesRequest>(request));
    const auto done = co_await update(request, body);
    UpdateFeaturesResponse response;
    response.error_message = std::nullopt;
    std::string why;
    if (!done) {
        why = done.error().why;
        if (done.error().code == ErrorCode::invalid_update_version) {
            why = "The update failed for all features since the following feature had an error: " +
                  why;
        }
        response.error_code = static_cast<std::int16_t>(done.error().code);
        response.error_message = error_text(why);
    } else if (request.version() <= kLastVersionWithResults) {
        add_results(request, body, response);
    }
    co_return answer(request, response);
}

}  // namespace

Api api_57() {
    return make_api(protocol::ApiKey::update_features, &serve);
}

}  // namespace milena::server
