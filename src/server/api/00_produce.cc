// SPDX-License-Identifier: Apache-2.0
// Produce: takes each partition's batch to its leader, in the order of the request, and answers
// when all are decided. Transactional requests need the transaction coordinator and are refused per
// partition until it is there.
#include "milena/protocol/messages/produce.h"

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using protocol::ProduceRequest;
using replication::Acks;
using replication::ProduceAnswer;

constexpr std::int16_t kFirstVersionWithTopicIds = 13;
constexpr std::int16_t kFirstVersionWithZstd = 7;

ProduceAnswer refusal(ErrorCode code, std::string why = {}) {
    ProduceAnswer answer;
    answer.code = code;
    answer.why = std::move(why);
    return answer;
}

bool is_valid_acks(std::int16_t acks) {
    return acks >= -1 && acks <= 1;
}

/// The request's view of its records as the bytes of the frame, which are ours to write into.
MutableBytes writable(const Request& request, BytesView view) {
    return request.frame.subspan(static_cast<std::size_t>(view.data() - request.frame.data()),
                                 view.size());
}

/// What can be said of a partition's part before its leader is asked; none if nothing is wrong.
std::optional<ProduceAnswer> refuse_early(const Request& request, const ProduceRequest& body,
                                          const protocol::Records& records) {
    if (!records.has_value()) return refusal(ErrorCode::invalid_record, "the records are null");
    if (body.transactional_id) {
        return refusal(ErrorCode::invalid_txn_state,
                       "transactions are not served by this broker version");
    }
    const BytesView bytes = records.bytes();
    if (request.version() < kFirstVersionWithZstd && bytes.size() >= record::kBatchHeaderBytes &&
        record::BatchView(bytes).magic() == record::kMagic &&
        record::BatchView(bytes).codec_bits() == static_cast<std::uint8_t>(record::Codec::zstd)) {
        return refusal(ErrorCode::unsupported_compression_type,
                       "zstd needs Produce version 7 or later");
    }
    if (!is_valid_acks(body.acks)) {
        if (const auto batch = record::sole_batch(bytes); !batch) {
            return refusal(batch.error().code, batch.error().why);
        }
        return refusal(ErrorCode::invalid_required_acks,
                       fmt::format("acks={} is not -1, 0 or 1", body.acks));
    }
    return std::nullopt;
}

/// A transactional batch in a request that names no transaction; the whole request is refused then.
bool has_stray_transaction(const ProduceRequest& body) {
    if (body.transactional_id) return false;
    return std::ranges::any_of(body.topic_data, [](const auto& topic) {
        return std::ranges::any_of(topic.partition_data, [](const auto& part) {
            if (!part.records.has_value()) return false;
            const BytesView bytes = part.records.bytes();
            return bytes.size() >= record::kBatchHeaderBytes &&
                   record::BatchView(bytes).magic() == record::kMagic &&
                   record::BatchView(bytes).is_transactional();
        });
    });
}

void count(replication::Traffic& traffic, bool is_taken, std::size_t bytes, std::int64_t messages) {
    traffic.produce_requests.add();
    if (!is_taken) return traffic.failed_produce_requests.add();
    traffic.bytes_in.add(bytes);
    traffic.messages_in.add(static_cast<std::uint64_t>(messages));
}

class Producing {
public:
    Producing(Request& request, const ProduceRequest& body,
              const std::shared_ptr<ProduceAnswers>& answers)
        : request_(request),
          body_(body),
          answers_(answers),
          image_(request.broker().image.load()) {}

    void all() {
        const bool is_refused = has_stray_transaction(body_);
        for (const auto& topic : body_.topic_data) {
            answers_->add_topic(topic.name, topic.topic_id);
            const TopicLookup found = look_up(topic);
            for (const auto& part : topic.partition_data) {
                if (is_refused) {
                    refuse(part);
                } else {
                    one(found, part);
                }
            }
        }
    }

private:
    TopicLookup look_up(const ProduceRequest::TopicProduceData& topic) const {
        if (request_.version() >= kFirstVersionWithTopicIds) {
            return find_topic(request_, *image_, topic.topic_id, security::Operation::write);
        }
        return find_topic(request_, *image_, topic.name, security::Operation::write);
    }

    void refuse(const ProduceRequest::PartitionProduceData& data) {
        answers_->answer(answers_->add_partition(data.index),
                         refusal(ErrorCode::transactional_id_authorization_failed));
    }

    void one(const TopicLookup& topic, const ProduceRequest::PartitionProduceData& data) {
        const std::uint32_t part = answers_->add_partition(data.index);
        const auto partition = find_replica(request_, topic, data.index);
        if (!partition) return answers_->answer(part, refusal(partition.error().code));
        if (auto early = refuse_early(request_, body_, data.records))
            return answers_->answer(part, std::move(*early));
        const BytesView bytes = data.records.bytes();
        // Read first: the leader writes into the batch. What is no batch is refused, not counted.
        const std::int64_t messages =
            bytes.size() < record::kBatchHeaderBytes ? 0 : record::BatchView(bytes).record_count();
        const Acks acks = static_cast<Acks>(body_.acks);
        const env::Instant deadline = request_.deadline(body_.timeout_ms);
        auto answer =
            (*partition)
                ->produce(writable(request_, bytes), acks, deadline, answers_->on_done(part));
        const bool is_taken = !answer || answer->code == ErrorCode::none;
        for (auto* const traffic :
             {&(*partition)->traffic(), &request_.session.core().metrics.traffic()})
            count(*traffic, is_taken, bytes.size(), messages);
        if (answer) return answers_->answer(part, std::move(*answer));
        answers_->expect();
        request_.session.core().deadlines.watch(deadline, *partition);
    }

    Request& request_;
    const ProduceRequest& body_;
    const std::shared_ptr<ProduceAnswers>& answers_;
    std::shared_ptr<const metadata::Image> image_;
};

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<ProduceRequest>(request));
    const auto answers = request.session.produce_answers();
    answers->begin({&request.broker(), &request.session.listener(), request.version(),
                    request.correlation_id()});
    Producing(request, body, answers).all();

    auto& replies = request.connection.replies();
    auto& slot = replies.open();
    if (answers->has_parked()) {
        answers->seal(request.connection.defer(slot));
        co_return ok();
    }
    if (body.acks == 0) {
        // Never a byte in answer; an error ends the connection, which is how the producer learns
        // that something is wrong.
        slot.close_after = answers->has_error();
    } else {
        CO_TRY_VOID(answers->encode(slot));
    }
    replies.mark_done(slot);
    co_return ok();
}

}  // namespace

Api api_00() {
    Api api = make_api(protocol::ApiKey::produce, &serve);
    // librdkafka looks for version 0 to tell that a broker is not ancient, though none of 0 to 2 is
    // served.
    api.advertised_min_version = 0;
    api.overtakes = true;
    return api;
}

}  // namespace milena::server
