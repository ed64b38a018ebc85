// SPDX-License-Identifier: Apache-2.0
// Leftovers of deletions and compactions, as a stop at each of their steps leaves them.
#include "segment_files.h"

#include "log_fixture.h"
#include "segment.h"

namespace milena::storage {
namespace {

using support::plain_batch;

class SegmentFilesTest : public LogTest {
protected:
    void SetUp() override { ASSERT_TRUE(node.files().create_directories(kLogDirectory)); }
    void write(Offset base, std::string_view suffix, BytesView content = {}) {
        const auto file =
            *node.files().open(path(segment_file_name(base, suffix)), env::OpenMode::create_empty);
        ASSERT_TRUE(file->write_at(0, content));
    }
    std::vector<Offset> settle() {
        const auto segments = settle_segment_files(node.files(), kLogDirectory);
        EXPECT_TRUE(segments) << segments.error().why;
        std::vector<Offset> bases;
        for (const auto& [base, sizes] : segments->segments) bases.push_back(base);
        return bases;
    }
    using Bases = std::vector<Offset>;
};

TEST_F(SegmentFilesTest, NamesAreTwentyDigitsAndASuffix) {
    const auto name = parse_segment_file_name("00000000000000000170.index.swap");
    ASSERT_TRUE(name);
    EXPECT_EQ(name->base, Offset(170));
    EXPECT_EQ(name->suffix, ".index.swap");
    for (const char* other :
         {"170.log", "0000000000000000017x.log", "leader-epoch-checkpoint", "00000000000000000170",
          "99999999999999999999.log", "-0000000000000000170.log"}) {
        EXPECT_FALSE(parse_segment_file_name(other)) << other;
    }
}

TEST_F(SegmentFilesTest, DeletedAndCleanedFilesAndOrphansGo) {
    write(Offset(0), ".log", plain_batch(0, 1, 1));
    for (const char* suffix : {".log.deleted", ".index.deleted", ".log.cleaned"})
        write(Offset(5), suffix);
    for (const char* suffix : {".index", ".timeindex", ".txnindex"}) write(Offset(9), suffix);
    EXPECT_EQ(settle(), Bases{Offset(0)});
    EXPECT_EQ(names(), std::vector<std::string>{"00000000000000000000.log"});
}

TEST_F(SegmentFilesTest, AFinishedCompactionReplacesWhatItWasMadeOf) {
    for (const std::int64_t base : {0, 10, 20, 30}) {
        write(Offset(base), ".log", plain_batch(base, 10, 1));
        write(Offset(base), ".index");
    }
    write(Offset(0), ".log.swap", plain_batch(15, 15, 2));  // ends at 30
    write(Offset(0), ".timeindex.swap");
    EXPECT_EQ(settle(), (Bases{Offset(0), Offset(30)}));
    EXPECT_EQ(env::read_file(node.files(), path("00000000000000000000.log"), 9999)->size(),
              plain_batch(15, 15, 2).size());
    EXPECT_EQ(names(), (std::vector<std::string>{
                           "00000000000000000000.log", "00000000000000000000.timeindex",
                           "00000000000000000030.index", "00000000000000000030.log"}));
}

TEST_F(SegmentFilesTest, ASwapBehindAnUnfinishedOneIsNotTrusted) {
    write(Offset(0), ".log", plain_batch(0, 10, 1));
    write(Offset(0), ".log.swap", plain_batch(0, 5, 2));
    write(Offset(5), ".log.cleaned", plain_batch(5, 2, 2));
    write(Offset(5), ".log.swap", plain_batch(5, 5, 2));
    EXPECT_EQ(settle(), Bases{Offset(0)});
    EXPECT_EQ(env::read_file(node.files(), path("00000000000000000000.log"), 9999)->size(),
              plain_batch(0, 5, 2).size());
}

TEST_F(SegmentFilesTest, SettlingComesToItsEndAfterAStopAtAnyCall) {
    bool has_fired = true;
    for (std::uint64_t call = 0; has_fired; ++call) {
        for (const auto& entry : *node.files().list(kLogDirectory))
            ASSERT_TRUE(node.files().remove(path(entry.name)));
        for (const std::int64_t base : {0, 10})
            write(Offset(base), ".log", plain_batch(base, 10, 1));
        write(Offset(0), ".txnindex.swap", as_bytes("new"));
        write(Offset(0), ".log.swap", plain_batch(5, 15, 2));
        node.faults().fail_call(call);
        (void)settle_segment_files(node.files(), kLogDirectory);
        has_fired = node.faults().has_fired();
        node.faults().clear();
        EXPECT_EQ(settle(), Bases{Offset(0)}) << call;
        EXPECT_EQ(names(), (std::vector<std::string>{"00000000000000000000.log",
                                                     "00000000000000000000.txnindex"}))
            << call;
        EXPECT_EQ(env::read_file(node.files(), path("00000000000000000000.txnindex"), 99), "new")
            << call;
    }
}

}  // namespace
}  // namespace milena::storage
