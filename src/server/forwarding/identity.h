// SPDX-License-Identifier: Apache-2.0
// Who sent a forwarded request, in the bytes in which an Envelope carries it: a principal with its
// version before it, as Kafka's default principal builder writes it, and an IP address.
#pragma once

#include "../session.h"

namespace milena::server {

struct ClientBytes {
    std::vector<std::byte> principal;
    std::vector<std::byte> address;
};

/// A host that is no IP address travels as 0.0.0.0.
ClientBytes client_to_bytes(const Client& client);

/// PRINCIPAL_DESERIALIZATION_FAILURE if the principal can't be read; INVALID_REQUEST if the address
/// has neither 4 nor 16 bytes.
Result<Client> client_from_bytes(BytesView principal, BytesView address);

}  // namespace milena::server
