// SPDX-License-Identifier: Apache-2.0
// Laws of the byte codecs over whatever is generated.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "milena/base/bytes.h"

namespace milena {
namespace {

RC_GTEST_PROP(BytesProperty, VarlongsRoundTrip, (std::vector<std::int64_t> numbers)) {
    std::size_t size = 0;
    for (const std::int64_t number : numbers) size += varint_size(number);
    std::vector<std::byte> region(size);
    ByteWriter writer(region);
    for (const std::int64_t number : numbers) writer.write_varint(number);
    RC_ASSERT(writer.remaining() == 0U);
    ByteReader reader{region};
    for (const std::int64_t number : numbers) RC_ASSERT(reader.read_varlong() == number);
    RC_ASSERT(reader.ok());
    RC_ASSERT(reader.remaining() == 0U);
}

RC_GTEST_PROP(BytesProperty, AnyBytesAreReadOrRefusedWithinTheirEnd,
              (std::vector<std::uint8_t> source)) {
    const BytesView view = std::as_bytes(std::span(source));
    ByteReader reader(view);
    while (reader.ok() && reader.remaining() > 0) {
        const std::size_t before = reader.position();
        reader.read_varint();
        RC_ASSERT(reader.position() > before);
        RC_ASSERT(reader.position() <= view.size());
    }
}

RC_GTEST_PROP(BytesProperty, AVarintIsReadAsFarAsItWasWritten,
              (std::uint32_t number, std::vector<std::uint8_t> after)) {
    std::vector<std::byte> region(unsigned_varint_size(number) + after.size());
    ByteWriter writer(region);
    writer.write_unsigned_varint(number);
    writer.write_bytes(std::as_bytes(std::span(after)));
    ByteReader reader{region};
    RC_ASSERT(reader.read_unsigned_varint() == number);
    RC_ASSERT(reader.remaining() == after.size());
}

}  // namespace
}  // namespace milena
