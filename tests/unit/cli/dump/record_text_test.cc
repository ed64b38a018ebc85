// SPDX-License-Identifier: Apache-2.0
// What is inside records, as Kafka 4.4's kafka-dump-log printed it.
#include "dump/record_text.h"

#include <gtest/gtest.h>

#include "milena/metadata/records.h"
#include "milena/protocol/records/metadata.h"
#include "milena/protocol/records/raft_control.h"

namespace milena::cli {
namespace {

record::RecordView view(BytesView key, BytesView value) {
    record::RecordView record;
    record.key = key;
    record.value = value;
    return record;
}

using Are = Contents::Are;

/// The text of a record that Kafka's tool goes on after.
std::string text_of(const record::RecordView& record, Are are) {
    const auto text = contents_text(record, {.are = are});
    return text ? *text : "failed: " + text.error().why;
}

TEST(RecordText, AMetadataRecordIsJson) {
    protocol::FeatureLevelRecord feature;
    feature.name = "metadata.version";
    feature.feature_level = 33;
    const auto value = metadata::encode_record(feature);
    record::RecordView record;
    record.value = value;
    EXPECT_EQ(text_of(record, Are::cluster_metadata),
              R"( payload: {"type":"FEATURE_LEVEL_RECORD","version":0,"data":)"
              R"({"name":"metadata.version","featureLevel":33}})");
}

TEST(RecordText, AValueThatIsNoMetadataRecordIsSkipped) {
    auto record = view(as_bytes(std::string_view("k")), as_bytes(std::string_view("v")));
    record.offset = Offset(7);
    EXPECT_EQ(
        text_of(record, Are::cluster_metadata),
        " payload: Error at 7, skipping. Could not deserialize metadata record due to unknown "
        "frame version 118(only frame version 1 is supported)");
    EXPECT_EQ(text_of(record, Are::remote_log_metadata),
              " payload: Error at offset 7, skipping. Could not deserialize metadata record due to "
              "unknown frame version 118(only frame version 1 is supported)");
    record.value = std::nullopt;
    EXPECT_EQ(text_of(record, Are::cluster_metadata),
              " payload: Error at 7, skipping. Error while reading frame version");
    const std::string junk("\1\xFF\xFF", 3);
    EXPECT_TRUE(text_of(view({}, as_bytes(junk)), Are::cluster_metadata)
                    .starts_with(" payload: Error at 0, skipping. "));
}

TEST(RecordText, ACoordinatorsRecordIsJsonWithItsTypeAndVersion) {
    const std::string key("\0\2\0\1g", 5);
    const std::string value("\0\3\0\0\0\0\0\0\xFF\xFF\xFF\xFF\0\0\0\0\0\0\0\5\0\0\0\0", 24);
    EXPECT_EQ(text_of(view(as_bytes(key), as_bytes(value)), Are::groups),
              R"( key: {"type":"2","data":{"group":"g"}} payload: {"version":"3","data":)"
              R"({"protocolType":"","generation":0,"protocol":null,"leader":null,)"
              R"("currentStateTimestamp":5,"members":[]}})");
    record::RecordView tombstone;
    tombstone.key = as_bytes(key);
    EXPECT_EQ(text_of(tombstone, Are::groups),
              R"( key: {"type":"2","data":{"group":"g"}} payload: <DELETE>)");
}

TEST(RecordText, ARecordOfAnotherTopicIsSkipped) {
    const std::string key = "k0";
    EXPECT_EQ(text_of(view(as_bytes(key), as_bytes(key)), Are::transactions),
              " key: Unknown record type 27440 at offset 0, skipping.");
    const std::string cut("\0\2\0\7g", 5);
    EXPECT_TRUE(text_of(view(as_bytes(cut), as_bytes(cut)), Are::groups)
                    .starts_with(" key: Error at offset 0, skipping. "));
}

TEST(RecordText, ACoordinatorsRecordHasAKey) {
    EXPECT_EQ(contents_text({}, {.are = Are::share_groups}).error().why,
              "Failed to decode message at offset 0 using the specified decoder (message had a "
              "missing key)");
}

TEST(RecordText, KeysAndValuesMayBeNumbers) {
    const std::string key("\0\0\0\5", 4);
    const std::string value("\0\0\0\0\0\0\1\0", 8);
    const Contents numbers{.key = PartDecoder::int32, .value = PartDecoder::int64};
    EXPECT_EQ(contents_text(view(as_bytes(key), as_bytes(value)), numbers), " key: 5 payload: 256");
    EXPECT_FALSE(contents_text(view(as_bytes(key), as_bytes(key)), numbers));
}

TEST(RecordText, DecodersAreNamedByTheirClass) {
    EXPECT_EQ(parse_decoder_class("org.apache.kafka.tools.api.LongDecoder"), PartDecoder::int64);
    EXPECT_TRUE(
        parse_decoder_class("x.Y").error().why.starts_with("Failed to load decoder class x.Y: "));
}

TEST(RecordText, AnEndMarkerIsNamed) {
    const std::string abort("\0\0\0\0", 4);
    const std::string commit("\0\0\0\1", 4);
    const std::string value("\0\0\0\0\0\7", 6);
    EXPECT_EQ(control_text(view(as_bytes(commit), as_bytes(value))),
              " endTxnMarker: COMMIT coordinatorEpoch: 7");
    EXPECT_EQ(control_text(view(as_bytes(abort), as_bytes(value))),
              " endTxnMarker: ABORT coordinatorEpoch: 7");
}

TEST(RecordText, AQuorumRecordIsJson) {
    protocol::KRaftVersionRecord version;
    version.k_raft_version = 1;
    const auto value = protocol::encode(version, 0);
    const std::string key("\0\0\0\5", 4);
    EXPECT_EQ(control_text(view(as_bytes(key), *value)),
              R"( KRaftVersion {"version":0,"kRaftVersion":1})");
    EXPECT_EQ(control_text(view(as_bytes(key), {})), "") << "a value that is cut off";
}

}  // namespace
}  // namespace milena::cli
