// SPDX-License-Identifier: Apache-2.0
// A gather write against a system that takes an arbitrary number of bytes each time.
#include "io_pieces.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

namespace milena::env {
namespace {

RC_GTEST_PROP(IoPieces, NoByteIsLostOrSentTwiceHoweverLittleIsTaken,
              (const std::vector<std::string>& texts)) {
    std::vector<BytesView> pieces;
    std::string all;
    for (const std::string& text : texts) {
        pieces.push_back(as_bytes(text));
        all += text;
    }
    std::string taken;
    for (IoPieces left(pieces); !left.empty();) {
        const auto window = left.next();
        std::string offered;
        for (const ::iovec& piece : window) {
            offered.append(static_cast<const char*>(piece.iov_base), piece.iov_len);
        }
        RC_ASSERT(!offered.empty());
        const auto count = *rc::gen::inRange<std::size_t>(1, offered.size() + 1);
        taken += offered.substr(0, count);
        left.advance(count);
    }
    RC_ASSERT(taken == all);
}

TEST(IoPieces, NothingIsEmpty) {
    EXPECT_TRUE(IoPieces({}).empty());
    const std::vector<BytesView> empty_pieces(5);
    EXPECT_TRUE(IoPieces(empty_pieces).empty());
}

}  // namespace
}  // namespace milena::env
