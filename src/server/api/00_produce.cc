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
using replication::ProducePlace;
using replication::ProduceStep;

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

/// Clients do not write what brokers keep in a topic; the tools of an administrator may.
bool is_closed_to(const Request& request, std::string_view topic) {
    constexpr std::string_view kAdministrator = "__admin_client";
    return is_internal_topic(topic) && request.head.header.client_id.value_or("") != kAdministrator;
}

/// A batch that was there before counts again, as in Kafka.
void count(replication::Traffic& traffic, bool is_taken, std::size_t bytes, std::int64_t messages) {
    traffic.produce_requests.add();
    if (!is_taken) return traffic.failed_produce_requests.add();
    traffic.bytes_in.add(bytes);
    traffic.messages_in.add(static_cast<std::uint64_t>(messages));
}

/// Walks over the partitions of a request. Stops where one needs what a core's thread must not do;
/// once elsewhere() has been waited for it goes on there.
class Producing {
public:
    Producing(Request& request, const ProduceRequest& body,
              const std::shared_ptr<ProduceAnswers>& answers)
        : request_(request),
          body_(body),
          answers_(answers),
          image_(request.broker().image.load()),
          batch_(request.session.production()),
          is_refused_(has_stray_transaction(body)) {}

    /// True at the end.
    bool advance() {
        if (partition_ != nullptr && !carry_on()) return false;
        for (; topic_ < body_.topic_data.size(); ++topic_, part_ = 0) {
            const auto& topic = body_.topic_data[topic_];
            if (part_ == 0) {
                answers_->add_topic(topic.name, topic.topic_id);
                found_ = look_up(topic);
                is_closed_ = *found_ && is_closed_to(request_, (**found_)->name);
            }
            while (part_ < topic.partition_data.size()) {
                if (!one(topic.partition_data[part_++])) return false;
            }
        }
        return true;
    }

    /// What the batch needs that advance() has stopped at. Its bytes are the frame's, which is ours
    /// until the request is served: the connection's next one waits so long.
    env::Task<void> elsewhere() {
        env::Env& env = request_.connection.env();
        batch_.scratch = nullptr;  // that is the core's
        if (step_ == ProduceStep::needs_compute) {
            co_await env.offload(env::Pool::compute, [this] { partition_->prepare(batch_); });
            step_ = partition_->produce(batch_, ProducePlace::core);
        } else {
            co_await write_in_turn();
        }
    }

private:
    /// What of the batch is not in the frame counts while it waits, as the frame does.
    env::Task<void> write_in_turn() {
        wire::Connection& connection = request_.connection;
        env::ByteBudget& budget = request_.session.core().budget;
        const std::size_t held = batch_.prepared->recompressed.size();
        env::Guarded<bool> is_gone(connection.is_closed());
        connection.on_close([&is_gone] { is_gone.with([](bool& gone) { gone = true; }); });
        budget.charge(held);
        co_await partition_->write_lane()->turns().run(
            connection.env(), connection.owner(), [this, &is_gone] {
                if (is_gone.with([](const bool& gone) { return gone; })) {
                    give_up();
                } else {
                    step_ = partition_->produce(batch_, ProducePlace::disk_pool);
                }
            });
        budget.release(held);
        connection.on_close({});
    }

    /// The connection was closed before the turn came, as all are when the node stops: nobody would
    /// hear of the batch, and the stop does not wait until a slow disk has all that was queued.
    void give_up() {
        batch_.answer = refusal(ErrorCode::request_timed_out, "its connection was closed");
        step_ = ProduceStep::answered;
    }

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

    /// False if it needs something else first.
    bool one(const ProduceRequest::PartitionProduceData& data) {
        if (is_refused_) {
            refuse(data);
            return true;
        }
        number_ = answers_->add_partition(data.index);
        auto partition = find_replica(request_, *found_, data.index);
        if (!partition) {
            answers_->answer(number_, refusal(partition.error().code));
            return true;
        }
        if (auto early = refuse_early(request_, body_, data.records)) {
            answers_->answer(number_, std::move(*early));
            return true;
        }
        if (is_closed_) {
            answers_->answer(number_, refusal(ErrorCode::invalid_topic_exception,
                                              fmt::format("Cannot append to internal topic {}",
                                                          (**found_)->name)));
            return true;
        }
        partition_ = *std::move(partition);
        const BytesView bytes = data.records.bytes();
        // Read first: the leader writes into the batch. What is no batch is refused, not counted.
        messages_ =
            bytes.size() < record::kBatchHeaderBytes ? 0 : record::BatchView(bytes).record_count();
        batch_.records = writable(request_, bytes);
        batch_.acks = static_cast<Acks>(body_.acks);
        batch_.deadline = request_.deadline(body_.timeout_ms);
        batch_.done = answers_->on_done(number_);
        batch_.scratch = &request_.session.core().scratch;
        batch_.is_appended = false;
        step_ = partition_->produce(batch_, ProducePlace::core);
        return carry_on();
    }

    /// Takes note of what has come of the batch; false if that is to come.
    bool carry_on() {
        if (step_ == ProduceStep::needs_compute || step_ == ProduceStep::needs_disk) return false;
        const bool is_parked = step_ == ProduceStep::parked;
        const bool is_taken = is_parked || batch_.answer.code == ErrorCode::none;
        for (auto* const traffic :
             {&partition_->traffic(), &request_.session.core().metrics.traffic()})
            count(*traffic, is_taken, batch_.records.size(), messages_);
        if (is_parked) {
            answers_->expect();
            request_.session.core().deadlines.watch(batch_.deadline, partition_);
        } else {
            answers_->answer(number_, std::exchange(batch_.answer, {}));
        }
        batch_.prepared.reset();  // with the memory of a batch that was compressed anew
        partition_ = nullptr;
        return true;
    }

    Request& request_;
    const ProduceRequest& body_;
    const std::shared_ptr<ProduceAnswers>& answers_;
    std::shared_ptr<const metadata::Image> image_;
    replication::Production& batch_;
    const bool is_refused_;
    std::size_t topic_ = 0;
    std::size_t part_ = 0;
    std::optional<TopicLookup> found_{};
    bool is_closed_ = false;

    // The batch that is on its way:
    std::shared_ptr<replication::Partition> partition_{};
    std::uint32_t number_ = 0;
    std::int64_t messages_ = 0;
    ProduceStep step_ = ProduceStep::answered;
};

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<ProduceRequest>(request));
    const auto answers = request.session.produce_answers();
    answers->begin({&request.broker(), &request.session.listener(), request.version(),
                    request.correlation_id()});
    Producing producing(request, body, answers);
    while (!producing.advance()) co_await producing.elsewhere();

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
