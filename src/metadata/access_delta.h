// SPDX-License-Identifier: Apache-2.0
// Client quotas, ACLs, SCRAM credentials and delegation tokens.
#pragma once

#include <optional>

#include "milena/protocol/records/metadata.h"
#include "part.h"

namespace milena::metadata {

class AccessDelta {
public:
    AccessDelta(const Image& base, Changes& changes);

    Result<void> apply(const protocol::ClientQuotaRecord& record);
    Result<void> apply(const protocol::AccessControlEntryRecord& record);
    Result<void> apply(const protocol::RemoveAccessControlEntryRecord& record);
    Result<void> apply(const protocol::UserScramCredentialRecord& record);
    Result<void> apply(const protocol::RemoveUserScramCredentialRecord& record);
    Result<void> apply(const protocol::DelegationTokenRecord& record);
    Result<void> apply(const protocol::RemoveDelegationTokenRecord& record);

    void finish(Image& image) &&;

private:
    ShardedMap<Uuid, AclEntry>::Editor& acls();

    CopiedPart<ClientQuotasImage> quotas_;
    CopiedPart<ScramImage> scram_;
    CopiedPart<DelegationTokensImage> tokens_;
    std::shared_ptr<const AclsImage> acls_base_;
    std::optional<ShardedMap<Uuid, AclEntry>::Editor> acls_;
    Changes& changes_;
};

}  // namespace milena::metadata
