// SPDX-License-Identifier: Apache-2.0
// Whether a broker can go on without some of its log directories.
#include "milena/drivers/directory_failures.h"

#include <gtest/gtest.h>

namespace milena::drivers {
namespace {

using replication::FailedDirectory;

std::string reason(const std::vector<FailedDirectory>& failed, std::size_t directories = 2) {
    return reason_to_stop(failed, directories, "/metadata").value_or("none");
}

TEST(DirectoryFailures, OneOfTwoIsNoReason) {
    EXPECT_EQ(reason({{"/a", Uuid{1, 2}}}), "none");
    EXPECT_EQ(reason({}), "none");
}

TEST(DirectoryFailures, TheLastOneIs) {
    EXPECT_EQ(reason({{"/a", Uuid{1, 2}}, {"/b", {}}}),
              "all directories of log.dirs have failed, the last of them /b");
    EXPECT_NE(reason({{"/a", Uuid{1, 2}}}, 1), "none");
}

TEST(DirectoryFailures, ThatOfTheMetadataLogIsWhateverIsLeft) {
    EXPECT_EQ(reason({{"/metadata", Uuid{1, 2}}}, 3),
              "the directory of the metadata log, /metadata, has failed");
}

}  // namespace
}  // namespace milena::drivers
