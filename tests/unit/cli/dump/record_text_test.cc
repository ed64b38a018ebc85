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

TEST(RecordText, AMetadataRecordIsJson) {
    protocol::FeatureLevelRecord feature;
    feature.name = "metadata.version";
    feature.feature_level = 33;
    const auto value = metadata::encode_record(feature);
    record::RecordView record;
    record.value = value;
    EXPECT_EQ(contents_text(record, true),
              R"( payload: {"type":"FEATURE_LEVEL_RECORD","version":0,"data":)"
              R"({"name":"metadata.version","featureLevel":33}})");
}

TEST(RecordText, AValueThatIsNoMetadataRecordIsNoCrash) {
    const std::string junk("\xFF\xFF\xFF", 3);
    EXPECT_FALSE(contents_text(view(as_bytes(junk), as_bytes(junk)), true).empty());
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
