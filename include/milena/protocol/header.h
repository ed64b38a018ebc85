// SPDX-License-Identifier: Apache-2.0
// What stands before the body of a request and of a response (after the frame's length).
#pragma once

#include <cstddef>
#include <cstdint>

#include "milena/base/bytes.h"
#include "milena/base/result.h"
#include "milena/protocol/api.h"
#include "milena/protocol/messages/headers.h"

namespace milena::protocol {

/// A request's header and what follows from it. `header` views the frame.
struct RequestHead {
    const Api* api = nullptr;
    RequestHeader header;

    /// Only ApiVersions may be answered when this is false: with UNSUPPORTED_VERSION in version 0
    /// (KIP-511). Any other such request ends its connection.
    bool has_supported_version() const { return api->has_version(header.request_api_version); }
    std::int16_t version() const { return header.request_api_version; }
};

/// Reads the header and leaves `frame` at the body. INVALID_REQUEST for an API that we do not know,
/// a negative version, or bytes that are no header.
Result<RequestHead> read_request_head(ByteReader& frame);

/// For a request that we send: the bytes before its body.
std::size_t request_head_size(const Api& api, const RequestHeader& header);
void write_request_head(const Api& api, const RequestHeader& header, ByteWriter& frame);

/// For a response in the version of its request: the bytes before its body.
constexpr std::size_t response_head_size(const Api& api, std::int16_t version) {
    return sizeof(std::int32_t) + (api.response_header_version(version) > 0 ? 1 : 0);
}
void write_response_head(const Api& api, std::int16_t version, std::int32_t correlation_id,
                         ByteWriter& frame);
/// Reads what write_response_head wrote, with any tags skipped, and leaves `frame` at the body.
Result<ResponseHeader> read_response_head(const Api& api, std::int16_t version, ByteReader& frame);

}  // namespace milena::protocol
