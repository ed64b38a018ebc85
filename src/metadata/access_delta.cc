// SPDX-License-Identifier: Apache-2.0
// Applies the records of quotas, ACLs, SCRAM credentials and delegation tokens.
#include "access_delta.h"

namespace milena::metadata {

AccessDelta::AccessDelta(const Image& base, Changes& changes)
    : quotas_(base.client_quotas),
      scram_(base.scram),
      tokens_(base.delegation_tokens),
      acls_base_(base.acls),
      changes_(changes) {}

Result<void> AccessDelta::apply(const protocol::ClientQuotaRecord& record) {
    QuotaEntity entity;
    for (const auto& part : record.entity) {
        std::optional<std::string> name;
        if (part.entity_name) name = std::string(*part.entity_name);
        entity.insert_or_assign(std::string(part.entity_type), std::move(name));
    }
    auto& by_entity = quotas_.edit().by_entity;
    if (!record.remove) {
        by_entity[entity].insert_or_assign(std::string(record.key), record.value);
    } else if (const auto at = by_entity.find(entity); at != by_entity.end()) {
        at->second.erase(std::string(record.key));
        if (at->second.empty()) by_entity.erase(at);
    }
    changes_.client_quotas = true;
    return ok();
}

ShardedMap<Uuid, AclEntry>::Editor& AccessDelta::acls() {
    if (!acls_) acls_.emplace(acls_base_->by_id);
    changes_.acls = true;
    return *acls_;
}

Result<void> AccessDelta::apply(const protocol::AccessControlEntryRecord& record) {
    acls().set(record.id,
               AclEntry{record.resource_type, std::string(record.resource_name),
                        record.pattern_type, std::string(record.principal),
                        std::string(record.host), record.operation, record.permission_type});
    return ok();
}

Result<void> AccessDelta::apply(const protocol::RemoveAccessControlEntryRecord& record) {
    if (!acls().erase(record.id))
        return contradiction("ACL {} is removed, which does not exist", record.id);
    return ok();
}

Result<void> AccessDelta::apply(const protocol::UserScramCredentialRecord& record) {
    const auto copy = [](BytesView bytes) {
        return std::vector<std::byte>(bytes.begin(), bytes.end());
    };
    scram_.edit().by_user.insert_or_assign(
        {record.mechanism, std::string(record.name)},
        ScramCredential{copy(record.salt), copy(record.stored_key), copy(record.server_key),
                        record.iterations});
    changes_.scram = true;
    return ok();
}

Result<void> AccessDelta::apply(const protocol::RemoveUserScramCredentialRecord& record) {
    scram_.edit().by_user.erase({record.mechanism, std::string(record.name)});
    changes_.scram = true;
    return ok();
}

Result<void> AccessDelta::apply(const protocol::DelegationTokenRecord& record) {
    DelegationToken token{
        std::string(record.owner), std::string(record.requester), {},
        record.issue_timestamp,    record.max_timestamp,          record.expiration_timestamp};
    for (const std::string_view renewer : record.renewers) token.renewers.emplace_back(renewer);
    tokens_.edit().by_id.insert_or_assign(std::string(record.token_id), std::move(token));
    changes_.delegation_tokens = true;
    return ok();
}

Result<void> AccessDelta::apply(const protocol::RemoveDelegationTokenRecord& record) {
    tokens_.edit().by_id.erase(std::string(record.token_id));
    changes_.delegation_tokens = true;
    return ok();
}

void AccessDelta::finish(Image& image) && {
    image.client_quotas = std::move(quotas_).finish();
    image.scram = std::move(scram_).finish();
    image.delegation_tokens = std::move(tokens_).finish();
    if (!acls_) return;
    auto acls = std::make_shared<AclsImage>();
    acls->by_id = std::move(*acls_).finish();
    image.acls = std::move(acls);
}

}  // namespace milena::metadata
