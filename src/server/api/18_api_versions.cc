// SPDX-License-Identifier: Apache-2.0
// ApiVersions: what this listener serves, and the cluster's features. The one request that is
// answered whatever its version (KIP-511), and before anything is known of the client.
#include "milena/protocol/messages/api_versions.h"

#include "../api.h"
#include "milena/metadata/features.h"

namespace milena::server {
namespace {

using protocol::ApiVersionsRequest;
using protocol::ApiVersionsResponse;

constexpr std::int16_t kFirstVersionWithSoftware = 3;
/// Clients that speak less than this fail on a feature whose lowest version is 0.
constexpr std::int16_t kFirstVersionWithZeroFeatures = 4;

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Letters and digits, with dashes and dots between them.
bool is_software_name(std::string_view text) {
    if (text.empty() || !is_letter_or_digit(text.front()) || !is_letter_or_digit(text.back()))
        return false;
    return std::ranges::all_of(
        text, [](char c) { return is_letter_or_digit(c) || c == '-' || c == '.'; });
}

/// What is wrong with the request, or none.
ErrorCode check(const Request& request, const ApiVersionsRequest& body) {
    if (request.version() >= kFirstVersionWithSoftware &&
        !(is_software_name(body.client_software_name) &&
          is_software_name(body.client_software_version))) {
        return ErrorCode::invalid_request;
    }
    // KIP-1242: a client that expects another cluster or node must look for its own again.
    if (body.cluster_id.has_value() != (body.node_id != -1)) return ErrorCode::invalid_request;
    if (body.cluster_id && (*body.cluster_id != request.broker().cluster_id ||
                            body.node_id != request.broker().config.node_id.value)) {
        return ErrorCode::rebootstrap_required;
    }
    return ErrorCode::none;
}

ApiVersionsResponse::ApiVersion row(const Api& api) {
    ApiVersionsResponse::ApiVersion out;
    out.api_key = static_cast<std::int16_t>(api.facts->key);
    out.min_version = api.advertised_min_version;
    out.max_version = api.facts->max_stable_version;
    return out;
}

/// The answer to a version that we do not know: in the layout of version 0, with the versions that
/// may be asked.
Result<void> answer_unsupported(Request& request, const Api& self) {
    ApiVersionsResponse response;
    response.error_code = static_cast<std::int16_t>(ErrorCode::unsupported_version);
    auto rows = request.arena.make_array<ApiVersionsResponse::ApiVersion>(1);
    rows[0] = row(self);
    response.api_keys = rows;
    return answer(request, response, 0);
}

void add_features(Request& request, const metadata::Image& image, ApiVersionsResponse& response) {
    const auto known = metadata::supported_features();
    auto supported =
        request.arena.make_array<ApiVersionsResponse::SupportedFeatureKey>(known.size());
    std::size_t count = 0;
    for (const auto& feature : known) {
        if (feature.range.min == 0 && request.version() < kFirstVersionWithZeroFeatures) continue;
        auto& out = supported[count++];
        out.name = feature.name;
        out.min_version = feature.range.min;
        out.max_version = feature.range.max;
    }
    response.supported_features = supported.first(count);

    auto levels = image.features->levels;
    // The quorum's, which its log has and no image.
    const QuorumPort* const quorum = request.broker().quorum;
    const std::int16_t kraft_version = quorum == nullptr ? 0 : quorum->kraft_version();
    if (kraft_version > 0) levels.emplace(metadata::kKraftVersion, kraft_version);
    auto finalized =
        request.arena.make_array<ApiVersionsResponse::FinalizedFeatureKey>(levels.size());
    std::size_t next = 0;
    for (const auto& [name, level] : levels) {
        auto& out = finalized[next++];
        out.name = request.arena.copy(name);
        out.max_version_level = level;
        out.min_version_level = level;
    }
    response.finalized_features = finalized;
    response.finalized_features_epoch = image.provenance.last_offset.value;
}

Result<void> answer_versions(Request& request, const ApiVersionsRequest& body) {
    ApiVersionsResponse response;
    response.error_code = static_cast<std::int16_t>(check(request, body));
    const auto image = request.broker().image.load();
    auto rows = request.arena.make_array<ApiVersionsResponse::ApiVersion>(served_apis().size());
    std::size_t count = 0;
    if (response.error_code == 0) {
        for (const Api& api : served_apis()) {
            if (api.on(request.session.is_controller_listener())) rows[count++] = row(api);
        }
        add_features(request, *image, response);
    }
    response.api_keys = rows.first(count);
    return answer(request, response);
}

env::Task<Result<void>> serve(Request& request) {
    const Api& self = *find_api(ApiVersionsRequest::kApiKey);
    if (!self.serves(request.version())) co_return answer_unsupported(request, self);
    CO_TRY(const auto body, decode_body<ApiVersionsRequest>(request));
    co_return answer_versions(request, body);
}

}  // namespace

Api api_18() {
    return make_api(protocol::ApiKey::api_versions, &serve);
}

}  // namespace milena::server
