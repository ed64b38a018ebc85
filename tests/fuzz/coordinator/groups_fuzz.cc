// SPDX-License-Identifier: Apache-2.0
// Any bytes as what a coordinator of groups takes on trust or from strangers: first records of
// __consumer_offsets, loaded one by one, then requests of members, whose subscriptions and
// assignments are any bytes too. It goes on whatever they say, answers each request once at most,
// and can read again what it has written itself.
//
//   count u8 | records: key u16 length, value u16 length or 0xFFFF for none | steps: kind u8 | ...
//
// Texts of steps have a length of one byte.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "group/classic/subscription.h"
#include "group/consumer/migration/consumer_protocol.h"
#include "milena/base/invariant.h"
#include "milena/coordinator/groups.h"

namespace milena::coordinator {
namespace {

constexpr std::size_t kStepsMax = 100;
/// Each ends one wait of one member.
constexpr int kTicksMax = 100'000;
constexpr std::uint16_t kNoValue = 0xFFFF;

struct NoChance final : env::Random {
    std::uint64_t next() override { return ++last; }
    std::uint64_t last = 0;
};

/// Two topics with racks.
class TwoTopics final : public TopicsView {
public:
    std::optional<Topic> find(std::string_view name) const override {
        for (const Topic& one : topics_) {
            if (one.name == name) return one;
        }
        return std::nullopt;
    }
    std::optional<Topic> find(Uuid id) const override {
        for (const Topic& one : topics_) {
            if (one.id == id) return one;
        }
        return std::nullopt;
    }
    std::vector<std::string> racks(Uuid, PartitionIndex index) const override {
        return {index.value % 2 == 0 ? "r" : "s"};
    }
    void each(const std::function<void(std::string_view)>& visit) const override {
        for (const Topic& one : topics_) visit(one.name);
    }
    ConsumerSettings settings(std::string_view, const ConsumerSettings& broker) const override {
        return broker;
    }

private:
    std::array<Topic, 2> topics_{{{.name = "a", .id = Uuid{0, 1}, .partitions = 3},
                                  {.name = "b", .id = Uuid{0, 2}, .partitions = 2}}};
};

class Host {
public:
    explicit Host(ByteReader& reader) : reader_(reader), groups_(made()) {}

    void run() {
        load_records();
        take(groups_->loaded(time_));
        for (std::size_t i = 0; i < kStepsMax && reader_.remaining() > 0; ++i) {
            step();
            if (!reader_.ok()) break;
        }
        load_again();
    }

private:
    std::unique_ptr<Groups> made() {
        GroupOptions options;
        options.group_min_session_timeout_ms = 0;
        options.group_initial_rebalance_delay_ms = 100;
        auto groups = Groups::make(options, chance_);
        groups->follow(topics_, {});
        return groups;
    }

    BytesView bytes() { return reader_.read_bytes(reader_.read<std::uint16_t>()); }
    std::string text() {
        return std::string(as_text(reader_.read_bytes(reader_.read<std::uint8_t>())));
    }
    std::optional<std::string> nullable_text() {
        return flag() ? std::optional(text()) : std::nullopt;
    }
    bool flag() { return reader_.read<std::uint8_t>() % 2 == 1; }
    std::size_t count() { return reader_.read<std::uint8_t>() % 8U; }

    void load_records() {
        const auto count = reader_.read<std::uint8_t>();
        for (int i = 0; i < count && reader_.ok(); ++i) {
            const BytesView key = bytes();
            const auto size = reader_.read<std::uint16_t>();
            RecordView record{.key = key, .value = {}, .offset = Offset(-1)};
            if (size != kNoValue) record.value = reader_.read_bytes(size);
            if (!reader_.ok()) return;
            // Half of them as from the state store, which has what was committed.
            if (key.size() % 2 == 0) {
                stored_[{key.begin(), key.end()}] = record;
            } else {
                record.offset = Offset(end_++);
            }
            const auto loaded = groups_->load(record);
            INVARIANT(loaded || !loaded.error().why.empty(), "a refusal without a reason");
        }
    }

    void step() {
        switch (reader_.read<std::uint8_t>() % 12) {
            case 0:
            case 1: return ask(join());
            case 2: return ask(sync());
            case 3: return ask(from_member<HeartbeatRequest>());
            case 4: return ask(leave());
            case 5:
            case 6: return ask(consumer_beat());
            case 7: return ask(commit());
            case 8: return ask(fetch());
            case 9: return look();
            case 10: return wait();
            default: fails_next_ = true; return;
        }
    }

    void ask(GroupRequest request) {
        const auto reads = groups_->reads_of(request);
        INVARIANT(reads || !reads.error().why.empty(), "a refusal without a reason");
        if (reads) ask(request, stored(*reads));
    }
    void ask(const GroupRequest& request, const std::vector<RecordView>& stored) {
        take(groups_->ask(++last_ticket_, request, stored, time_));
    }
    std::vector<RecordView> stored(const std::vector<StateRead>& reads) const {
        std::vector<RecordView> found;
        for (const auto& [key, record] : stored_) {
            const bool is_read = std::ranges::any_of(reads, [&](const StateRead& read) {
                return read.is_prefix ? as_text(key).starts_with(as_text(read.key))
                                      : key == read.key;
            });
            if (is_read && record.value) found.push_back(record);
        }
        return found;
    }

    Bytes subscription() {
        const BytesView read = bytes();
        std::set<std::string> topics;
        read_subscription(read, topics);
        (void)read_consumer_subscription(read);
        return {read.begin(), read.end()};
    }
    Bytes assignment() {
        const BytesView read = bytes();
        if (const auto known = read_consumer_assignment(read)) {
            const auto again =
                consumer_assignment(0, with_ids(known->partitions, *topics_), *topics_);
            INVARIANT(read_consumer_assignment(again), "an assignment that can't be read again");
        }
        return {read.begin(), read.end()};
    }

    /// What requests of members begin with, in the order of their fields.
    template <class Request>
    Request from_member() {
        Request request;
        request.group = text();
        if constexpr (requires { request.generation; })
            request.generation = reader_.read<std::int32_t>();
        if constexpr (requires { request.generation_or_epoch; })
            request.generation_or_epoch = reader_.read<std::int32_t>();
        request.member_id = text();
        if constexpr (requires { request.member_epoch; })
            request.member_epoch = reader_.read<std::int32_t>();
        request.instance_id = nullable_text();
        return request;
    }

    JoinRequest join() {
        auto request = from_member<JoinRequest>();
        request.protocol_type = flag() ? "consumer" : text();
        const std::size_t protocols = count();
        for (std::size_t i = 0; i < protocols; ++i) {
            std::string name = text();
            request.protocols.push_back({std::move(name), subscription()});
        }
        request.session_timeout_ms = reader_.read<std::uint16_t>();
        request.rebalance_timeout_ms = reader_.read<std::uint16_t>();
        request.must_know_its_id = flag();
        return request;
    }
    SyncRequest sync() {
        auto request = from_member<SyncRequest>();
        const std::size_t assignments = count();
        for (std::size_t i = 0; i < assignments; ++i) {
            std::string member_id = text();
            request.assignments.push_back({std::move(member_id), assignment()});
        }
        return request;
    }
    LeaveRequest leave() {
        LeaveRequest request;
        request.group = text();
        const std::size_t members = count();
        for (std::size_t i = 0; i < members; ++i) {
            LeaveRequest::Member& who = request.members.emplace_back();
            who.member_id = text();
            who.instance_id = nullable_text();
        }
        return request;
    }
    std::optional<std::vector<TopicPartitions>> owned() {
        if (!flag()) return std::nullopt;
        std::vector<TopicPartitions> found;
        const std::size_t topics = count();
        for (std::size_t i = 0; i < topics; ++i) {
            TopicPartitions& one = found.emplace_back();
            one.topic = Uuid{0, reader_.read<std::uint8_t>()};
            const std::size_t partitions = count();
            for (std::size_t j = 0; j < partitions; ++j)
                one.partitions.emplace_back(reader_.read<std::int32_t>());
        }
        return found;
    }
    ConsumerHeartbeatRequest consumer_beat() {
        auto request = from_member<ConsumerHeartbeatRequest>();
        request.rack_id = nullable_text();
        request.rebalance_timeout_ms = reader_.read<std::int32_t>();
        if (flag()) {
            request.topics.emplace();
            const std::size_t topics = count();
            for (std::size_t i = 0; i < topics; ++i) request.topics->push_back(text());
        }
        request.regex = nullable_text();
        request.assignor = nullable_text();
        request.owned = owned();
        return request;
    }
    CommitRequest commit() {
        auto request = from_member<CommitRequest>();
        CommitRequest::Topic& topic = request.topics.emplace_back();
        topic.name = text();
        topic.id = Uuid{0, 1};
        CommitRequest::Partition& one = topic.partitions.emplace_back();
        one.partition = PartitionIndex(reader_.read<std::int32_t>());
        one.offset = Offset(reader_.read<std::int64_t>());
        return request;
    }
    FetchOffsetsRequest fetch() {
        return {.group = text(),
                .member_id = nullable_text(),
                .member_epoch = reader_.read<std::int32_t>(),
                .topics = std::nullopt};
    }

    /// What may be asked of any group.
    void look() {
        const std::string group = text();
        ask(ListGroupsRequest{});
        ask(DescribeGroupRequest{group});
        ask(DescribeConsumerGroupRequest{group});
        ask(ExpireOffsetsRequest{}, stored({{.key = {}, .is_prefix = true}}));
        if (flag()) ask(DeleteGroupRequest{group});
        (void)groups_->figures();
    }

    void wait() {
        const std::int64_t ms = std::int64_t{100} * reader_.read<std::uint16_t>();
        time_.now += std::chrono::milliseconds(ms);
        time_.wall_ms += ms;
        int ticks = 0;
        for (; ticks < kTicksMax && groups_->deadline() <= time_.now; ++ticks)
            take(groups_->tick(time_));
        INVARIANT(ticks < kTicksMax, "what is due does not end");
    }

    void take(GroupStep step) {
        auto work = std::move(step.work);
        if (!step.records.empty() && std::exchange(fails_next_, false)) {
            answer(groups_->append_failed(ErrorCode::not_enough_replicas, time_));
        } else {
            for (Record& record : step.records) append(std::move(record));
            answer(std::move(step));
            answer(groups_->committed(Offset(end_), time_));
        }
        for (const auto& one : work) {
            one->run();
            take(groups_->finished(one, time_));
        }
    }
    void append(Record record) {
        groups_->apply(view_of(record, Offset(end_++)));
        written_.push_back(std::move(record));
    }
    void answer(GroupStep step) {
        for (const GroupAnswer& one : step.answers) {
            INVARIANT(one.ticket <= last_ticket_, "somebody is answered who has not asked");
            INVARIANT(answered_.insert(one.ticket).second, "somebody is answered twice");
        }
    }
    static RecordView view_of(const Record& record, Offset offset) {
        RecordView view{.key = record.key, .value = {}, .offset = offset};
        if (record.value) view.value = BytesView(*record.value);
        return view;
    }

    /// Another node takes over what this one has written.
    void load_again() {
        const auto next = made();
        std::int64_t offset = 0;
        for (const Record& record : written_) {
            INVARIANT(next->load(view_of(record, Offset(offset++))),
                      "its own record can't be read");
        }
        next->loaded(time_);
    }

    ByteReader& reader_;
    NoChance chance_;
    std::shared_ptr<const TopicsView> topics_ = std::make_shared<TwoTopics>();
    std::unique_ptr<Groups> groups_;
    /// As loaded; what is written later stays pending.
    std::map<Bytes, RecordView> stored_;
    std::vector<Record> written_;
    std::set<Ticket> answered_;
    std::int64_t end_ = 0;
    Ticket last_ticket_ = 0;
    bool fails_next_ = false;
    GroupTime time_{.now = {}, .wall_ms = 1'700'000'000'000};
};

}  // namespace
}  // namespace milena::coordinator

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    milena::ByteReader reader(std::as_bytes(std::span(data, size)));
    milena::coordinator::Host(reader).run();
    return 0;
}
