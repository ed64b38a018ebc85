// SPDX-License-Identifier: Apache-2.0
// DescribeConfigs: every value in force of a topic, this broker, the cluster's default, a group or
// a subscription to client metrics, where it comes from and what lies below it. The documentation
// is Milena's own.
#include "milena/protocol/messages/describe_configs.h"

#include <algorithm>

#include "../api.h"
#include "../configs/configs.h"
#include "milena/controller/topic_names.h"

namespace milena::server {
namespace {

using config::ConfigSource;
using config::DescribedConfig;
using config::ValueType;
using metadata::ResourceType;
using protocol::DescribeConfigsRequest;
using protocol::DescribeConfigsResponse;

/// What one request may have described, as memory: some 20,000 topics. The rest is refused.
constexpr std::size_t kMemoryMax = 256UZ << 20;
constexpr std::string_view kTooMuch = "Too many values for one request.";

using Resource = DescribeConfigsRequest::DescribeConfigsResource;

std::int8_t wire_type(const std::optional<ValueType>& type) {
    if (!type) return 0;
    switch (*type) {
        case ValueType::boolean: return 1;
        case ValueType::string: return 2;
        case ValueType::int32: return 3;
        case ValueType::int16: return 4;
        case ValueType::int64: return 5;
        case ValueType::float64: return 6;
        case ValueType::list: return 7;
        case ValueType::class_name: return 8;
        case ValueType::password: return 9;
    }
    return 0;
}

std::unexpected<Error> refused(std::string why) {
    return fail(ErrorCode::invalid_request, std::move(why));
}

Result<std::vector<DescribedConfig>> describe_broker(const Request& request, std::string_view name,
                                                     const config::Layers& layers) {
    if (name.empty()) return config::describe_cluster_wide(layers);
    TRY_VOID(
        check_is_this_node(request, "Broker", "broker id, expected {} or empty string, but", name));
    return config::describe_broker(layers);
}

Result<std::vector<DescribedConfig>> describe_logger(const Request& request,
                                                     std::string_view name) {
    if (name.empty()) return refused("Broker id must not be empty");
    TRY_VOID(check_is_this_node(request, "Broker", "broker id, expected {} but", name));
    return std::vector{DescribedConfig{.name = std::string(kRootLogger),
                                       .value = std::string(kRootLevel),
                                       .source = ConfigSource::broker_logger}};
}

Result<std::vector<DescribedConfig>> describe(const Request& request, const Resource& resource) {
    const auto type = static_cast<ResourceType>(resource.resource_type);
    const std::string_view name = resource.resource_name;
    if (const auto error =
            config_refusal(request, security::Operation::describe_configs, type, name)) {
        return std::unexpected(*error);
    }
    const auto image = request.broker().image.load();
    const BrokerLayers layers(request.broker(), *image);
    const auto own = image->configs->find(type, name);
    switch (type) {
        case ResourceType::topic:
            TRY_VOID(controller::check_topic_name(name));
            if (image->topics->find(name) == nullptr)
                return fail(ErrorCode::unknown_topic_or_partition, {});
            return config::describe_topic(*own, layers.view());
        case ResourceType::broker: return describe_broker(request, name, layers.view());
        case ResourceType::broker_logger: return describe_logger(request, name);
        case ResourceType::client_metrics:
            if (name.empty()) return refused("Client metrics subscription name must not be empty");
            return config::describe_client_metrics(*own);
        case ResourceType::group:
            if (name.empty()) return refused("Group name must not be empty");
            return config::describe_group(*own, layers.view());
    }
    return refused(
        "This most likely occurs because of a request being malformed by the client library or "
        "the message was sent to an incompatible broker. See the broker logs for more details.");
}

void keep_asked(std::vector<DescribedConfig>& configs, const Resource& resource) {
    const auto& keys = resource.configuration_keys;
    if (keys.empty()) return;  // null too: all
    std::erase_if(configs, [&](const DescribedConfig& config) {
        return std::ranges::find(keys, std::string_view(config.name)) == keys.end();
    });
    configs.shrink_to_fit();
}

DescribeConfigsResponse::DescribeConfigsResourceResult entry(Request& request,
                                                             const DescribeConfigsRequest& body,
                                                             const DescribedConfig& config) {
    DescribeConfigsResponse::DescribeConfigsResourceResult out;
    out.name = config.name;
    out.value = std::nullopt;
    if (config.value) out.value = std::string_view(*config.value);
    out.read_only = config.is_read_only;
    out.config_source = static_cast<std::int8_t>(config.source);
    out.is_sensitive = config.is_sensitive;
    out.config_type = wire_type(config.type);
    out.documentation = std::nullopt;
    const bool is_logger = config.source == ConfigSource::broker_logger;
    if (body.include_documentation || is_logger) out.documentation = config.doc;
    if (!body.include_synonyms) return out;
    auto synonyms = request.arena.make_array<DescribeConfigsResponse::DescribeConfigsSynonym>(
        config.synonyms.size());
    for (std::size_t i = 0; i < synonyms.size(); ++i) {
        synonyms[i].name = config.synonyms[i].name;
        synonyms[i].value = std::nullopt;
        if (config.synonyms[i].value)
            synonyms[i].value = std::string_view(*config.synonyms[i].value);
        synonyms[i].source = static_cast<std::int8_t>(config.synonyms[i].source);
    }
    out.synonyms = synonyms;
    return out;
}

std::size_t memory_of(const std::vector<DescribedConfig>& configs) {
    std::size_t bytes = 0;
    for (const DescribedConfig& config : configs) {
        bytes += sizeof(config) + config.doc.size();
        bytes += config.synonyms.size() * sizeof(config.synonyms.front());
        if (config.value) bytes += config.value->size();
    }
    return bytes;
}

class Describing {
public:
    Describing(Request& request, const DescribeConfigsRequest& body)
        : request_(request), body_(body) {
        described_.reserve(body.resources.size());
    }

    std::span<DescribeConfigsResponse::DescribeConfigsResult> all() {
        auto results = request_.arena.make_array<DescribeConfigsResponse::DescribeConfigsResult>(
            body_.resources.size());
        for (std::size_t i = 0; i < results.size(); ++i)
            describe_one(body_.resources[i], results[i]);
        return results;
    }

private:
    void describe_one(const Resource& resource,
                      DescribeConfigsResponse::DescribeConfigsResult& result) {
        result.resource_type = resource.resource_type;
        result.resource_name = resource.resource_name;
        result.error_message = std::string_view();
        if (bytes_ > kMemoryMax) {
            result.error_code = static_cast<std::int16_t>(ErrorCode::policy_violation);
            result.error_message = kTooMuch;
            return;
        }
        auto& found = described_.emplace_back(describe(request_, resource));
        if (!found) {
            result.error_code = static_cast<std::int16_t>(found.error().code);
            result.error_message = error_text(found.error().why);
            bytes_ += sizeof(found) + found.error().why.size();
            return;
        }
        keep_asked(*found, resource);
        auto entries =
            request_.arena.make_array<DescribeConfigsResponse::DescribeConfigsResourceResult>(
                found->size());
        std::ranges::transform(*found, entries.begin(), [&](const DescribedConfig& config) {
            return entry(request_, body_, config);
        });
        result.configs = entries;
        bytes_ += sizeof(found) + memory_of(*found);
    }

    Request& request_;
    const DescribeConfigsRequest& body_;
    std::size_t bytes_ = 0;
    /// Views of it are in the response.
    std::vector<Result<std::vector<DescribedConfig>>> described_;
};

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<DescribeConfigsRequest>(request));
    Describing describing(request, body);
    DescribeConfigsResponse response;
    response.results = describing.all();
    co_return answer(request, response);
}

}  // namespace

Api api_32() {
    return make_api(protocol::ApiKey::describe_configs, &serve);
}

}  // namespace milena::server
