// SPDX-License-Identifier: Apache-2.0
// Whole batches, whatever is read at once; damage is told with its place.
#include "cleaner/batch_reader.h"

#include "unit/storage/log_fixture.h"

namespace milena::storage {
namespace {

using support::plain_batch;

class BatchReaderTest : public LogTest {
protected:
    void SetUp() override {
        for (std::int64_t base = 0; base < 50; base += 5) {
            const auto batch = plain_batch(base, 5, 1, 0, static_cast<std::size_t>(base * 3 + 1));
            bytes.insert(bytes.end(), batch.begin(), batch.end());
        }
        file = *node.files().open("/file", env::OpenMode::create_empty);
        ASSERT_TRUE(file->write_at(0, bytes));
    }
    /// How many batches it gives, and why it ended.
    std::pair<int, std::string> read(std::uint64_t end, std::uint64_t read_bytes) {
        BatchReader reader(file, end, read_bytes);
        for (int count = 0;; ++count) {
            const auto batch = reader.next();
            if (!batch) return {count, batch.error().why};
            if (!*batch) return {count, ""};
            EXPECT_EQ((*batch)->base_offset(), Offset(count * 5));
            EXPECT_TRUE((*batch)->check_crc());
        }
    }

    std::vector<std::byte> bytes;
    std::shared_ptr<env::File> file;
};

TEST_F(BatchReaderTest, GivesAllBatchesWhateverIsReadAtOnce) {
    for (const std::uint64_t at_once : {1U, 61U, 100U, 1000U, 100'000U})
        EXPECT_EQ(read(bytes.size(), at_once), (std::pair<int, std::string>(10, "")));
}

TEST_F(BatchReaderTest, TellsWhereABatchIsDamaged) {
    const std::uint64_t second = plain_batch(0, 5, 1, 0, 1).size();
    node.files().flip_bit("/file", (second + 70) * 8);
    const auto [count, why] = read(bytes.size(), 100);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(why, "/file at " + std::to_string(second) + ": its checksum does not match");
}

TEST_F(BatchReaderTest, ABatchThatIsCutOffIsDamage) {
    for (std::uint64_t missing = 1; missing < 300; missing += 7) {
        const auto [count, why] = read(bytes.size() - missing, 100);
        EXPECT_EQ(count, 9) << missing;
        EXPECT_NE(why, "") << missing;
    }
}

TEST_F(BatchReaderTest, AFileThatHasBecomeShorterIsDamage) {
    ASSERT_TRUE(file->truncate(bytes.size() - 10));
    EXPECT_NE(read(bytes.size(), 100).second.find("shorter"), std::string::npos);
}

}  // namespace
}  // namespace milena::storage
