// SPDX-License-Identifier: Apache-2.0
// Which form of header an API and version have is in api.h; here they are read and written.
#include "milena/protocol/header.h"

#include <fmt/format.h>

#include "milena/protocol/codec.h"

namespace milena::protocol {

Result<RequestHead> read_request_head(ByteReader& frame) {
    // Key and version come first in every header version, and tell which one it is.
    ByteReader ahead = frame;
    const auto key = ahead.read<std::int16_t>();
    const auto version = ahead.read<std::int16_t>();
    if (!ahead.ok())
        return fail(ErrorCode::invalid_request, "a frame too short for a request header");
    const Api* const api = find_api(key);
    if (api == nullptr)
        return fail(ErrorCode::invalid_request, fmt::format("unknown API key {}", key));
    // Whatever its version, ApiVersions is answered (KIP-511).
    if (version < 0 && api->key != ApiKey::api_versions)
        return fail(ErrorCode::invalid_request, fmt::format("{} version {}", api->name, version));

    Arena nothing(0);  // a header has no arrays
    TRY(const RequestHeader header,
        decode<RequestHeader>(frame, api->request_header_version(version), nothing));
    return RequestHead{.api = api, .header = header};
}

std::size_t request_head_size(const Api& api, const RequestHeader& header) {
    const auto size = encoded_size(header, api.request_header_version(header.request_api_version));
    INVARIANT(size.has_value(), "a client id of ours that no header can carry");
    return *size;
}

void write_request_head(const Api& api, const RequestHeader& header, ByteWriter& frame) {
    write(header, api.request_header_version(header.request_api_version), frame);
}

void write_response_head(const Api& api, std::int16_t version, std::int32_t correlation_id,
                         ByteWriter& frame) {
    write(ResponseHeader{.correlation_id = correlation_id}, api.response_header_version(version),
          frame);
}

Result<ResponseHeader> read_response_head(const Api& api, std::int16_t version, ByteReader& frame) {
    Arena nothing(0);
    return decode<ResponseHeader>(frame, api.response_header_version(version), nothing);
}

}  // namespace milena::protocol
