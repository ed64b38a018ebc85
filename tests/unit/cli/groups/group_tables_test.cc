// SPDX-License-Identifier: Apache-2.0
// Tables as kafka-consumer-groups and kafka-groups of Apache Kafka 4.4 printed them, blanks at the
// ends of lines included.
#include "groups/group_tables.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

MemberState member(std::string id, Assigned assigned) {
    return {.id = std::move(id),
            .instance_id = {},
            .client_id = "cc",
            .host = "/127.0.0.1",
            .assigned = std::move(assigned),
            .target = {},
            .epoch = {}};
}

GroupDescription group(std::string state) {
    return {.name = "g1",
            .state = std::move(state),
            .assignor = "range",
            .coordinator = BrokerId(1),
            .endpoint = {"127.0.0.1", 39191}};
}

TEST(OffsetsTable, HasMembersWithTheMostPartitionsFirstAndThenTheRest) {
    GroupDescription described = group("Stable");
    described.members = {member("few", {{"other", {0}}}), member("many", {{"events", {1, 0}}})};
    const Committed committed{{{"events", 0}, {2, -1}}, {{"zed", 3}, {5, 7}}};
    const auto rows = offset_rows(described, committed, {{{"events", 0}, 3}, {{"zed", 3}, 4}});
    EXPECT_EQ(offsets_table("g1", rows, true),
              "\n"
              "GROUP           TOPIC           PARTITION  LEADER-EPOCH    CURRENT-OFFSET  "
              "LOG-END-OFFSET  LAG             CONSUMER-ID     HOST            CLIENT-ID\n"
              "g1              events          0          -               2               3        "
              "       1               many            /127.0.0.1      cc\n"
              "g1              events          1          -               -               -        "
              "       -               many            /127.0.0.1      cc\n"
              "g1              other           0          -               -               -        "
              "       -               few             /127.0.0.1      cc\n"
              "g1              zed             3          7               5               4        "
              "       -1              -               -               -\n");
    EXPECT_EQ(offsets_table("g1", {rows[0]}, false),
              "\n"
              "GROUP           TOPIC           PARTITION  CURRENT-OFFSET  LOG-END-OFFSET  LAG      "
              "       CONSUMER-ID     HOST            CLIENT-ID\n"
              "g1              events          0          2               3               1        "
              "       many            /127.0.0.1      cc\n");
    EXPECT_EQ(offsets_table("g1", {}, false), "");
}

TEST(MembersTable, IsWiderWithStaticMembersAndWhenVerbose) {
    GroupDescription described = group("Stable");
    described.members = {member("a-consumer-with-a-long-name", {{"events", {0, 1}}, {"zed", {2}}})};
    EXPECT_EQ(members_table(described, false),
              "\nGROUP           CONSUMER-ID                 HOST            CLIENT-ID       "
              "#PARTITIONS     \n"
              "g1              a-consumer-with-a-long-name /127.0.0.1      cc              "
              "3               \n");
    described.members[0].instance_id = "inst-1";
    EXPECT_EQ(
        members_table(described, true),
        "\nGROUP           CONSUMER-ID                 GROUP-INSTANCE-ID HOST            "
        "CLIENT-ID       #PARTITIONS     CURRENT-EPOCH   CURRENT-ASSIGNMENT   TARGET-EPOCH    "
        "TARGET-ASSIGNMENT   \n"
        "g1              a-consumer-with-a-long-name inst-1            /127.0.0.1      "
        "cc              3               -               events:0,1;zed:2     -               "
        "-                   \n");
}

TEST(MembersTable, TellsEpochsAndTargetsOfConsumerGroups) {
    GroupDescription described = group("Stable");
    described.epoch = 2;
    described.assignment_epoch = 2;
    described.members = {member("m", {{"events", {0, 1}}})};
    described.members[0].epoch = 2;
    described.members[0].target = Assigned{{"events", {0, 1}}};
    EXPECT_NE(members_table(described, true)
                  .find("2               2               events:0,1           2               "
                        "events:0,1          \n"),
              std::string::npos);
    EXPECT_EQ(
        state_table(described, true),
        "\nGROUP           COORDINATOR (ID)          ASSIGNMENT-STRATEGY  STATE                "
        "GROUP-EPOCH     TARGET-ASSIGNMENT-EPOCH   #MEMBERS\n"
        "g1              127.0.0.1:39191  (1)      range                Stable               "
        "2               2                         1\n");
}

TEST(StateTable, SaysWhoCoordinates) {
    GroupDescription described = group("Empty");
    described.assignor = "";
    EXPECT_EQ(state_table(described, false), R"(
GROUP           COORDINATOR (ID)          ASSIGNMENT-STRATEGY  STATE                #MEMBERS
g1              127.0.0.1:39191  (1)      -                    Empty                0
)");
}

TEST(StateWarning, IsAboutGroupsThatAreNotStable) {
    EXPECT_EQ(state_warning(group("Stable")), "");
    EXPECT_EQ(state_warning(group("Empty")), "\nConsumer group 'g1' has no active members.\n");
    for (const char* const state :
         {"PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling"})
        EXPECT_EQ(state_warning(group(state)), "\nWarning: Consumer group 'g1' is rebalancing.\n");
}

TEST(ListTable, HasTheColumnsThatAreAskedFor) {
    const std::vector<ListedGroup> groups{{"perf-consumer-66742", "Classic", "", "Empty"},
                                          {"g2", "Consumer", "consumer", "Stable"}};
    EXPECT_EQ(list_table(groups, false, false), "perf-consumer-66742\ng2\n");
    EXPECT_EQ(list_table(groups, false, true),
              "GROUP                         STATE               \n"
              "perf-consumer-66742           Empty               \n"
              "g2                            Stable              \n");
    EXPECT_EQ(list_table({groups[1]}, true, false),
              "GROUP                     TYPE                \n"
              "g2                        Consumer            \n");
}

TEST(AllGroupsTable, IsThatOfTheToolGroups) {
    EXPECT_EQ(all_groups_table({{"sg1", "Share", "share", "Stable"}}),
              "GROUP                TYPE                 PROTOCOL            \n"
              "sg1                  Share                share                \n");
}

TEST(ResetTable, IsInTheOrderOfKafkasMap) {
    EXPECT_EQ(reset_table({{"g2", {{{"events", 0}, 3}, {{"other", 0}, 0}, {{"zed", 2}, 0}}}}), R"(
GROUP           TOPIC           PARTITION  NEW-OFFSET
g2              other           0          0
g2              zed             2          0
g2              events          0          3
)");
    EXPECT_EQ(reset_table({{"g1", {}}}),
              "\nGROUP           TOPIC           PARTITION  NEW-OFFSET\n");
    EXPECT_EQ(reset_table({}), "\n");
}

TEST(DeletionTable, NamesTheErrorOfEachPartition) {
    EXPECT_EQ(deletion_table({{"events", 0, {}},
                              {"nope",
                               {},
                               Error{ErrorCode::unknown_topic_or_partition,
                                     "This server does not host this topic-partition."}}}),
              "\nTOPIC           PARTITION  STATUS         \n"
              "events          0          Successful     \n"
              "nope            -          Error: org.apache.kafka.common.errors."
              "UnknownTopicOrPartitionException: This server does not host this "
              "topic-partition.\n");
}

TEST(ListedGroup, IsOfConsumersIfConsumersMayJoinIt) {
    EXPECT_TRUE((ListedGroup{"g", "Classic", "", "Empty"}).is_of_consumers());
    EXPECT_TRUE((ListedGroup{"g", "Classic", "consumer", "Stable"}).is_of_consumers());
    EXPECT_TRUE((ListedGroup{"g", "Consumer", "consumer", "Stable"}).is_of_consumers());
    EXPECT_FALSE((ListedGroup{"g", "Classic", "connect", "Stable"}).is_of_consumers());
    EXPECT_FALSE((ListedGroup{"g", "Share", "share", "Stable"}).is_of_consumers());
}

}  // namespace
}  // namespace milena::cli
