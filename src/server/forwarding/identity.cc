// SPDX-License-Identifier: Apache-2.0
// Principals and addresses to bytes and back.
#include "identity.h"

#include "milena/env/address.h"
#include "milena/protocol/codec.h"
#include "milena/protocol/messages/embedded.h"

namespace milena::server {
namespace {

using protocol::DefaultPrincipalData;

constexpr std::int16_t kVersion = DefaultPrincipalData::kMaxVersion;
constexpr std::string_view kNoAddress = "0.0.0.0";

std::unexpected<Error> unreadable() {
    return fail(ErrorCode::principal_deserialization_failure,
                "Failed to deserialize client principal from envelope");
}

}  // namespace

ClientBytes client_to_bytes(const Client& client) {
    DefaultPrincipalData data;
    data.type = client.principal.type;
    data.name = client.principal.name;
    data.token_authenticated = client.principal.is_token_authenticated;
    ClientBytes out;
    out.principal.resize(sizeof kVersion);
    store(out.principal.data(), kVersion);
    const Result<void> written = protocol::append(data, kVersion, out.principal);
    INVARIANT(written.has_value(), "a principal that no message can carry");
    auto address = env::address_bytes(client.host);
    out.address = address ? *std::move(address) : *env::address_bytes(kNoAddress);
    return out;
}

Result<Client> client_from_bytes(BytesView principal, BytesView address) {
    ByteReader reader(principal);
    const auto version = reader.read<std::int16_t>();
    if (!reader.ok()) return unreadable();
    protocol::Arena nothing(0);  // it has no arrays
    const auto data = protocol::decode<DefaultPrincipalData>(reader, version, nothing);
    if (!data) return unreadable();
    auto host = env::address_text(address);
    if (!host) {
        return fail(ErrorCode::invalid_request, "Failed to parse client address from envelope");
    }
    return Client{{std::string(data->type), std::string(data->name), data->token_authenticated},
                  *std::move(host)};
}

}  // namespace milena::server
