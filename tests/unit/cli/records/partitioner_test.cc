// SPDX-License-Identifier: Apache-2.0
// Kafka's hash of keys: the vectors of its own tests.
#include "records/partitioner.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(Partitioner, HashesAsKafkaDoes) {
    const std::vector<std::pair<std::string_view, std::int32_t>> vectors{
        {"21", -973932308},
        {"foobar", -790332482},
        {"a-little-bit-long-string", -985981536},
        {"a-little-bit-longer-string", -1486304829},
        {"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971},
        {"abc", 479470107}};
    for (const auto& [key, hash] : vectors)
        EXPECT_EQ(static_cast<std::int32_t>(murmur2(as_bytes(key))), hash) << key;
}

TEST(Partitioner, APartitionIsNeverNegative) {
    EXPECT_EQ(partition_of_key(as_bytes(std::string_view("21")), 1000),
              (-973932308 & 0x7FFFFFFF) % 1000);
}

}  // namespace
}  // namespace milena::cli
