// SPDX-License-Identifier: Apache-2.0
// One pair of functions a codec, each in the file of its name; compression.cc has the table.
#pragma once

#include "milena/record/compression.h"

namespace milena::record {

Result<std::unique_ptr<Decompressor>> make_gzip_decompressor();
Result<std::vector<std::byte>> gzip_compress(BytesView plain, int level);

Result<std::unique_ptr<Decompressor>> make_snappy_decompressor();
Result<std::vector<std::byte>> snappy_compress(BytesView plain);

Result<std::unique_ptr<Decompressor>> make_lz4_decompressor();
Result<std::vector<std::byte>> lz4_compress(BytesView plain, int level);

Result<std::unique_ptr<Decompressor>> make_zstd_decompressor();
Result<std::vector<std::byte>> zstd_compress(BytesView plain, int level);

/// CORRUPT_MESSAGE: what the codec's library says is wrong with a block.
inline std::unexpected<Error> damaged(std::string_view codec, std::string_view why) {
    return fail(ErrorCode::corrupt_message, fmt::format("damaged {} block: {}", codec, why));
}

/// Our own memory was refused by a codec's library.
inline std::unexpected<Error> codec_failed(std::string_view codec, std::string_view why) {
    return fail(ErrorCode::unknown_server_error, fmt::format("{}: {}", codec, why));
}

}  // namespace milena::record
