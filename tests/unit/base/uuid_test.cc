// SPDX-License-Identifier: Apache-2.0
// Ids against their text forms.
#include "milena/base/uuid.h"

#include <gtest/gtest.h>

#include <unordered_set>

namespace milena {
namespace {

TEST(Uuid, HasTheTextThatKafkaPrints) {
    // Ids with a fixed meaning, as Apache Kafka's tools print them: zero, the metadata topic, lost
    // and migrating directories, and one from a data folder.
    EXPECT_EQ((Uuid{0, 0}.text()), "AAAAAAAAAAAAAAAAAAAAAA");
    EXPECT_EQ((Uuid{0, 1}.text()), "AAAAAAAAAAAAAAAAAAAAAQ");
    EXPECT_EQ((Uuid{0, 2}.text()), "AAAAAAAAAAAAAAAAAAAAAg");
    EXPECT_EQ((Uuid{~0ULL, ~0ULL}.text()), "_____________________w");
    EXPECT_EQ(fmt::format("{}", kMetadataTopicId), "AAAAAAAAAAAAAAAAAAAAAQ");
}

TEST(Uuid, ParsesWhatItPrints) {
    const Uuid ids[] = {{0, 0},         {0, 1},
                        {1, 0},         {0x0123456789ABCDEF, 0xFEDCBA9876543210},
                        {~0ULL, ~0ULL}, {1ULL << 63, 1ULL << 63}};
    for (const Uuid& id : ids) {
        EXPECT_EQ(id.text().size(), 22U);
        EXPECT_EQ(Uuid::parse(id.text()), id) << id.text();
    }
}

TEST(Uuid, RefusesTextThatIsNoId) {
    EXPECT_FALSE(Uuid::parse(""));
    EXPECT_FALSE(Uuid::parse("AAAAAAAAAAAAAAAAAAAAA"));    // 21
    EXPECT_FALSE(Uuid::parse("AAAAAAAAAAAAAAAAAAAAAAA"));  // 23
    EXPECT_FALSE(Uuid::parse("AAAAAAAAAAAAAAAAAAAAA+"));   // the other base64
    EXPECT_FALSE(Uuid::parse("AAAAAAAAAAAAAAAAAAAA=="));
    EXPECT_FALSE(Uuid::parse("AAAAAAAAAAAAAAAAAAAAAB"));  // bits beyond the sixteenth byte
    EXPECT_FALSE(Uuid::parse(std::string(22, '\0')));
}

TEST(Uuid, FromRandomIsVersionFourWhateverTheBits) {
    for (const std::uint64_t bits :
         {std::uint64_t{0}, ~std::uint64_t{0}, std::uint64_t{0x123456789ABCDEF0}}) {
        const Uuid id = Uuid::from_random(bits, bits);
        EXPECT_EQ(id.high >> 12 & 0xF, 4U);
        EXPECT_EQ(id.low >> 62, 2U);
    }
}

TEST(Uuid, KnowsTheReservedOnes) {
    EXPECT_TRUE((Uuid{0, 0}.is_reserved()));
    EXPECT_TRUE((Uuid{0, 99}.is_reserved()));
    EXPECT_FALSE((Uuid{0, 100}.is_reserved()));
    const Uuid dash{0xFBULL << 56, 0};
    EXPECT_EQ(dash.text()[0], '-');
    EXPECT_TRUE(dash.is_reserved());
    EXPECT_FALSE((Uuid{~0ULL, 0}.is_reserved()));
}

TEST(Uuid, OrdersByHighThenLowAndHashes) {
    EXPECT_LT((Uuid{1, 9}), (Uuid{2, 0}));
    EXPECT_LT((Uuid{1, 1}), (Uuid{1, 2}));
    EXPECT_TRUE((Uuid{0, 0}.is_zero()));
    const std::unordered_set<Uuid> ids{{1, 2}, {2, 1}, {1, 2}};
    EXPECT_EQ(ids.size(), 2U);
}

}  // namespace
}  // namespace milena
