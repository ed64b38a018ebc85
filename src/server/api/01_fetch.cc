// SPDX-License-Identifier: Apache-2.0
// Fetch: asks each partition what it has, waits for more if that is too little, and answers with
// ranges of files. A request that goes on with a session (KIP-227) costs as much as has changed;
// one without a session pays for each partition.
#include "milena/protocol/messages/fetch.h"

#include "../api.h"
#include "../fetch/fetch_scratch.h"
#include "../fetch/fetch_sessions.h"
#include "../fetch/session_fetch.h"
#include "quorum/quorum_fetch.h"

namespace milena::server {
namespace {

using protocol::FetchRequest;

/// Asks for all that it names, and for a session to go on with.
constexpr std::int32_t kOpensSession = 0;
/// The same without a session.
constexpr std::int32_t kWithoutSession = -1;

bool names_all_partitions(const FetchRequest& body) {
    return body.session_epoch == kOpensSession || body.session_epoch == kWithoutSession;
}

/// Waits until there is enough, the deadline comes, or the connection closes; a follower that has
/// something else to ask on its connection is answered at once.
env::Task<void> wait_for_more(Request& request, Fetching& fetching, env::Instant deadline) {
    auto& connection = request.connection;
    const Waiting waiting(request);
    FetchScratch& scratch = request.session.fetch_scratch();
    if (scratch.wait == nullptr)
        scratch.wait = std::make_shared<FetchWait>(connection.env(), connection.owner());
    const auto wait = scratch.wait;
    const auto& parts = fetching.parts();
    wait->begin(parts.size());
    connection.on_close([closed = wait.get()] { closed->end(); });
    bool makes_way = false;
    if (fetching.is_followers()) {
        connection.on_more([&makes_way, waiter = wait.get()] {
            makes_way = true;
            waiter->end();
        });
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].replica != nullptr) parts[i].replica->listen(wait->listener(i));
    }
    fetching.ask_all();  // what came before we listened would else be missed
    while (!fetching.is_complete() && !connection.is_closed() && !makes_way) {
        if (!co_await wait->news(deadline, scratch.news)) break;
        for (const auto number : scratch.news) fetching.ask(number);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
        if (parts[i].replica != nullptr) parts[i].replica->unlisten(wait->listener(i).get());
    }
    connection.on_close({});
    connection.on_more({});
}

/// The memory that the partitions of a request take while it is served, where that is much: several
/// times what they take in the frame. It comes from a budget of its own, for which a request waits,
/// as it may for being read. One that is larger than the budget is served alone.
class ChargedPartitions {
public:
    explicit ChargedPartitions(env::ByteBudget& budget) : budget_(budget) {}
    ~ChargedPartitions() {
        if (bytes_ != 0) budget_.release(bytes_);
    }
    ChargedPartitions(const ChargedPartitions&) = delete;
    ChargedPartitions& operator=(const ChargedPartitions&) = delete;

    /// Charges them, as soon as others are done if need be. An error, which closes the connection,
    /// if they are more than all sessions together may hold, or if that takes too long.
    env::Task<Result<void>> take(Request& request, const FetchRequest& body) {
        std::uint64_t partitions = 0;
        for (const auto& topic : body.topics) partitions += topic.partitions.size();
        if (partitions <= FetchScratch::kKeptPartitionsMax) co_return ok();
        if (partitions > SessionSlots::kPartitionsMax) {
            co_return fail(ErrorCode::policy_violation,
                           fmt::format("it names {} partitions, and {} is the most", partitions,
                                       SessionSlots::kPartitionsMax));
        }
        const std::uint64_t bytes = partitions * kPartitionBytes;
        auto& connection = request.connection;
        const env::Instant give_up = connection.env().clock().now() + kPatience;
        while (!budget_.try_charge(bytes)) {
            if (connection.is_closed()) co_return ok();
            if (connection.env().clock().now() >= give_up) {
                co_return fail(ErrorCode::request_timed_out,
                               fmt::format("its partitions take {} bytes of memory, which other "
                                           "fetches hold: name fewer, or use a session",
                                           bytes));
            }
            co_await connection.env().sleep(connection.owner(), kPause);
        }
        bytes_ = bytes;
        co_return ok();
    }
    /// Who holds what others may wait for waits less long for records.
    std::int32_t wait_ms(std::int32_t asked_ms) const {
        return bytes_ == 0 ? asked_ms : std::min(asked_ms, kChargedWaitMsMax);
    }

private:
    /// What is asked of one and what it gave, its listener, its place in the answer.
    static constexpr std::uint64_t kPartitionBytes =
        sizeof(FetchPart) + sizeof(protocol::FetchResponse::PartitionData) + 128;
    static constexpr env::Duration kPause = std::chrono::milliseconds(10);
    /// A client's request.timeout.ms; it has given up then.
    static constexpr env::Duration kPatience = std::chrono::seconds(30);
    static constexpr std::int32_t kChargedWaitMsMax = 10'000;

    env::ByteBudget& budget_;
    std::uint64_t bytes_ = 0;
};

env::Task<Result<void>> serve_all(Request& request, const FetchRequest& body) {
    ChargedPartitions charged(request.session.core().fetch_sessions.sessionless_budget());
    CO_TRY_VOID(co_await charged.take(request, body));
    if (request.connection.is_closed()) co_return ok();
    const std::int32_t max_wait_ms = charged.wait_ms(body.max_wait_ms);
    Fetching fetching(request, body, request.session.fetch_scratch());
    fetching.add_all();
    fetching.ask_all();
    if (!fetching.is_complete() && max_wait_ms > 0 && !fetching.parts().empty()) {
        co_await wait_for_more(request, fetching, request.deadline(max_wait_ms));
        if (request.connection.is_closed()) co_return ok();
    }
    std::int32_t session_id = 0;
    if (body.session_epoch == kOpensSession) {
        session_id = request.session.core().fetch_sessions.open(
            body, request.version(), fetching.is_followers(), fetching.parts());
    }
    co_return fetching.answer_to(request, session_id);
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(auto body, decode_body<FetchRequest>(request));
    if (is_quorum_fetch(request, body)) co_return co_await serve_quorum_fetch(request, body);
    const RequestKind kind = fetching_replica(request, body).value < 0
                                 ? RequestKind::consumer_fetch()
                                 : RequestKind::follower_fetch();
    request.connection.replies().retag_next(static_cast<std::uint32_t>(kind.index()));
    FetchSessions& sessions = request.session.core().fetch_sessions;
    if (names_all_partitions(body)) {
        if (body.session_id != 0) sessions.remove(body.session_id);
        co_return co_await serve_all(request, body);
    }
    const auto session = sessions.find(body.session_id);
    if (session == nullptr)
        co_return answer_session_error(request, ErrorCode::fetch_session_id_not_found);
    const SessionTurn turn =
        session->begin(body, request.version(), request.session.fetch_scratch().forgotten);
    if (turn.code == ErrorCode::none && turn.partitions == 0) {
        sessions.remove(session->id());
        body.session_epoch = kWithoutSession;
        co_return co_await serve_all(request, body);
    }
    if (turn.code == ErrorCode::fetch_session_id_not_found) sessions.remove(session->id());
    if (turn.code != ErrorCode::none) co_return answer_session_error(request, turn.code);
    if (!sessions.touch(*session, turn))
        co_return answer_session_error(request, ErrorCode::fetch_session_id_not_found);
    SessionFetch fetch(request, body, session, turn);
    co_await fetch.gather(request.deadline(body.max_wait_ms));
    if (request.connection.is_closed()) co_return ok();
    co_return fetch.answer();
}

}  // namespace

Api api_01() {
    return make_api(protocol::ApiKey::fetch, &serve);
}

}  // namespace milena::server
