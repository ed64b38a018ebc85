// SPDX-License-Identifier: Apache-2.0
// Which errors of the file system are a disk's.
#include "milena/env/disk_failure.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "milena/env/files.h"

namespace milena::env {
namespace {

bool is_disks(int error_number) {
    return is_disk_failure(storage_error("pwritev", "/a/t-0/0.log", error_number));
}

TEST(DiskFailure, IsWhatTheDiskOrItsFileSystemRefuses) {
    for (const int one : {EIO, EROFS, EACCES, EPERM, ENOENT, ENOTDIR, ENODEV, ESTALE, EUCLEAN})
        EXPECT_TRUE(is_disks(one)) << one;
}

TEST(DiskFailure, IsNotAFullDiskNorALimitOfTheProcess) {
    for (const int one : {ENOSPC, EDQUOT, EMFILE, ENFILE, ENOMEM})
        EXPECT_FALSE(is_disks(one)) << one;
}

TEST(DiskFailure, IsStillOneWhenSomebodySaysWhere) {
    const auto told = fail_at("checkpoint", storage_error("rename", "/a/x", EIO));
    EXPECT_TRUE(is_disk_failure(told.error()));
}

TEST(DiskFailure, IsNotWhatWasReadAndIsWrong) {
    EXPECT_FALSE(
        is_disk_failure({ErrorCode::kafka_storage_error, "/a/meta.properties: malformed"}));
    EXPECT_FALSE(is_disk_failure({ErrorCode::invalid_config, "(EIO)"}));
}

}  // namespace
}  // namespace milena::env
