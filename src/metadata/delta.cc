// SPDX-License-Identifier: Apache-2.0
// Which part of a delta takes which record. Every record type of 4.4 stands in kReaders, and a row
// without its apply() does not compile; a test holds the table against the schema.
#include "milena/metadata/delta.h"

#include <array>

#include <fmt/format.h>

#include "access_delta.h"
#include "cluster_delta.h"
#include "configs_delta.h"
#include "milena/protocol/records/metadata.h"
#include "topics_delta.h"

namespace milena::metadata {

struct Delta::Parts {
    explicit Parts(std::shared_ptr<const Image> from)
        : base(std::move(from)),
          features(base->features, changes),
          cluster(base->cluster, changes),
          topics(base->topics, changes),
          configs(base->configs, changes),
          access(*base, changes),
          next_producer_id(base->next_producer_id) {}

    /// Records that one part takes by itself.
    template <class Record>
    Result<void> apply(const Record& record) {
        if constexpr (requires { cluster.apply(record); }) {
            return cluster.apply(record);
        } else if constexpr (requires { topics.apply(record); }) {
            return topics.apply(record);
        } else if constexpr (requires { configs.apply(record); }) {
            return configs.apply(record);
        } else if constexpr (requires { features.apply(record); }) {
            return features.apply(record);
        } else {
            return access.apply(record);
        }
    }
    Result<void> apply(const protocol::RemoveTopicRecord& record) {
        TRY(const std::string name, topics.apply(record));
        configs.remove_topic(name);
        return ok();
    }
    Result<void> apply(const protocol::ProducerIdsRecord& record) {
        if (record.next_producer_id < 0) {
            return fail(ErrorCode::corrupt_message,
                        fmt::format("{} is no producer id", record.next_producer_id));
        }
        next_producer_id = record.next_producer_id;
        changes.producer_ids = true;
        return ok();
    }
    /// Written so that the log goes on; means nothing.
    Result<void> apply(const protocol::NoOpRecord&) { return ok(); }
    /// Left by a move from ZooKeeper that ended before 4.0; nothing acts on it any more.
    Result<void> apply(const protocol::ZkMigrationStateRecord&) { return ok(); }
    Result<void> apply(const protocol::BeginTransactionRecord&) { return misplaced_marker(); }
    Result<void> apply(const protocol::EndTransactionRecord&) { return misplaced_marker(); }
    Result<void> apply(const protocol::AbortTransactionRecord&) { return misplaced_marker(); }

    static Result<void> misplaced_marker() {
        return contradiction("a transaction's marker inside a delta");
    }

    std::shared_ptr<const Image> base;
    Changes changes;
    FeaturesDelta features;
    ClusterDelta cluster;
    TopicsDelta topics;
    ConfigsDelta configs;
    AccessDelta access;
    std::int64_t next_producer_id;
    protocol::Arena arena;

    template <class Record>
    static Result<void> read(Parts& parts, const FramedRecord& framed) {
        if (framed.version > Record::kMaxVersion) {
            return fail(ErrorCode::unsupported_version,
                        fmt::format("{} has version {}, which is newer than this software",
                                    Record::kName, framed.version));
        }
        parts.arena.reset();
        auto record = protocol::decode<Record>(framed.body, framed.version, parts.arena);
        if (!record)
            return fail(ErrorCode::corrupt_message,
                        fmt::format("{}: {}", Record::kName, record.error().why));
        return parts.apply(*record);
    }

    using Reader = Result<void> (*)(Parts&, const FramedRecord&);

    /// A reader per record type, null where there is no type.
    template <class... Records>
    static constexpr auto readers() {
        std::array<Reader, 1 + std::max({Records::kKey...})> table{};
        ((table[Records::kKey] = &read<Records>), ...);
        return table;
    }
};

Delta::Delta(std::shared_ptr<const Image> base)
    : parts_(std::make_unique<Parts>(std::move(base))) {}
Delta::~Delta() = default;
Delta::Delta(Delta&&) noexcept = default;
Delta& Delta::operator=(Delta&&) noexcept = default;

Result<void> Delta::apply(BytesView record_value) {
    static constexpr auto kReaders =
        Parts::readers<protocol::RegisterBrokerRecord, protocol::UnregisterBrokerRecord,
                       protocol::TopicRecord, protocol::PartitionRecord, protocol::ConfigRecord,
                       protocol::PartitionChangeRecord, protocol::FenceBrokerRecord,
                       protocol::UnfenceBrokerRecord, protocol::RemoveTopicRecord,
                       protocol::DelegationTokenRecord, protocol::UserScramCredentialRecord,
                       protocol::FeatureLevelRecord, protocol::ClientQuotaRecord,
                       protocol::ProducerIdsRecord, protocol::BrokerRegistrationChangeRecord,
                       protocol::AccessControlEntryRecord, protocol::RemoveAccessControlEntryRecord,
                       protocol::NoOpRecord, protocol::ZkMigrationStateRecord,
                       protocol::RemoveUserScramCredentialRecord, protocol::BeginTransactionRecord,
                       protocol::EndTransactionRecord, protocol::AbortTransactionRecord,
                       protocol::RemoveDelegationTokenRecord, protocol::RegisterControllerRecord,
                       protocol::ClearElrRecord, protocol::UnregisterControllerRecord>();
    TRY(const FramedRecord framed, read_frame(record_value));
    const auto type = static_cast<std::size_t>(framed.type);
    if (type >= kReaders.size() || kReaders[type] == nullptr) {
        return fail(ErrorCode::unsupported_version,
                    fmt::format("metadata record of unknown type {}", framed.type));
    }
    return kReaders[type](*parts_, framed);
}

const Changes& Delta::changes() const {
    return parts_->changes;
}

std::shared_ptr<const Image> Delta::finish(const Provenance& provenance) && {
    auto image = std::make_shared<Image>(*parts_->base);
    image->provenance = provenance;
    image->features = std::move(parts_->features).finish();
    image->cluster = std::move(parts_->cluster).finish();
    image->topics = std::move(parts_->topics).finish();
    image->configs = std::move(parts_->configs).finish();
    std::move(parts_->access).finish(*image);
    image->next_producer_id = parts_->next_producer_id;
    return image;
}

}  // namespace milena::metadata
