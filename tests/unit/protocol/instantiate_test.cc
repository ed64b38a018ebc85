// SPDX-License-Identifier: Apache-2.0
// The visitors on a walk written by hand, for what the schema has only a few times or not at all.
#include "instantiate.h"

#include <gtest/gtest.h>

#include <cmath>

#include "milena/protocol/codec.h"

namespace milena::protocol {

/// Versions 0 and 1, the latter flexible.
struct Probe {
    static constexpr std::int16_t kMinVersion = 0;
    static constexpr std::int16_t kMaxVersion = 1;
    static constexpr std::int16_t kFirstFlexibleVersion = 1;
    static const MessageType kType;

    struct Inner {
        std::string_view name{};

        bool operator==(const Inner&) const = default;
    };

    double share = 0;
    std::string_view classic{};
    Array<Bytes> blobs{};
    Nullable<Inner> inner = Inner();
    NullableArray<Uuid> ids{};  // tagged in version 1

    bool operator==(const Probe&) const = default;
};

template <>
struct Walk<Probe::Inner> {
    static constexpr std::size_t kWireBytesMin = 2;
    static constexpr Field kFields[] = {{.name = "Name"}};

    template <class V, class M>
    static void fields(V& v, M& m) {
        v.field(kFields[0], m.name, "");
        for (auto tags = v.tags(); tags.next();) {
        }
    }
};

template <>
struct Walk<Probe> {
    static constexpr std::size_t kWireBytesMin = 13;
    static constexpr Field kFields[] = {
        {.name = "Share"},
        {.name = "Classic", .never_flexible = true},
        {.name = "Blobs"},
        {.name = "Inner", .null_first = 1, .null_last = kNoVersion},
        {.name = "Ids", .first = 1, .null_first = 0, .null_last = kNoVersion, .tag = 0},
    };

    template <class V, class M>
    static void fields(V& v, M& m) {
        v.field(kFields[0], m.share, double{0});
        v.field(kFields[1], m.classic, "");
        v.field(kFields[2], m.blobs, Empty{});
        v.field(kFields[3], m.inner, Empty{});
        for (auto tags = v.tags(); tags.next();) {
            v.tagged(tags, kFields[4], m.ids, std::nullopt);
        }
    }
};

constexpr MessageType Probe::kType = message_type<Probe>("Probe", MessageKind::data, -1);

namespace {

void expect_round_trip(const Probe& probe, std::int16_t version) {
    const auto bytes = encode(probe, version);
    ASSERT_TRUE(bytes.has_value()) << bytes.error().why;
    Arena arena;
    ByteReader reader(*bytes);
    const auto again = decode<Probe>(reader, version, arena);
    ASSERT_TRUE(again.has_value()) << again.error().why;
    EXPECT_EQ(*again, probe);
    EXPECT_EQ(reader.remaining(), 0U);
}

TEST(Instantiate, GivesAWalkItsVisitors) {
    const std::vector<Bytes> blobs{Bytes(), Bytes(as_bytes("blob"))};
    const std::vector<Uuid> ids{{1, 2}, {3, 4}};
    const Probe probe{.share = -0.25,
                      .classic = "classic",
                      .blobs = blobs,
                      .inner = Probe::Inner{.name = "name"}};
    expect_round_trip(probe, 0);
    Probe later = probe;
    later.ids = ids;
    expect_round_trip(later, 1);
    later.inner = std::nullopt;
    later.ids = Array<Uuid>();
    expect_round_trip(later, 1);
}

TEST(Instantiate, KeepsTheClassicLengthWhereAFieldSaysSo) {
    // share, int16 length and text, no blobs, inner present with no name and no tags, no tags
    EXPECT_EQ(encoded_size(Probe{.classic = "abc"}, 1).value(), 8U + 2 + 3 + 1 + (1 + 1 + 1) + 1);
}

TEST(Instantiate, WritesAPresenceByteOnlyWhereAStructMayBeNull) {
    EXPECT_EQ(encoded_size(Probe{}, 0).value(), 8U + 2 + 4 + 2);
    EXPECT_EQ(encoded_size(Probe{.inner = std::nullopt}, 0).error().code,
              ErrorCode::unsupported_version);
}

TEST(Instantiate, RefusesATaggedValueInAVersionWithoutTags) {
    const std::vector<Uuid> ids{{1, 2}};
    EXPECT_EQ(encoded_size(Probe{.ids = ids}, 0).error().code, ErrorCode::unsupported_version);
}

TEST(Instantiate, PrintsWhatIsNoNumberAsText) {
    EXPECT_EQ(to_json(Probe{.share = INFINITY, .inner = std::nullopt}, 1),
              R"({"share":"Infinity","classic":"","blobs":[],"inner":null})");
    EXPECT_EQ(to_json(Probe{.share = NAN, .inner = Probe::Inner()}, 0),
              R"({"share":"NaN","classic":"","blobs":[],"inner":{"name":""}})");
}

}  // namespace

}  // namespace milena::protocol
