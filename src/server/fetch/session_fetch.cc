// SPDX-License-Identifier: Apache-2.0
// Takes marks, asks, waits for more marks.
#include "session_fetch.h"

#include "fetch_scratch.h"

namespace milena::server {
namespace {

/// By its id. One that was deleted is no unknown id to a client that was told its name: there is no
/// topic of that name, or another.
TopicLookup find_by_id(const Fetching& fetching, const metadata::Image& image,
                       const FetchTopic& topic) {
    auto found = fetching.find(image, topic.id);
    if (found || found.error().code != ErrorCode::unknown_topic_id || topic.name.empty())
        return found;
    return fetching.find(image, topic.name);
}

}  // namespace

SessionFetch::SessionFetch(Request& request, const protocol::FetchRequest& body,
                           std::shared_ptr<FetchSession> session, const SessionTurn& turn)
    : request_(request),
      session_(std::move(session)),
      turn_(turn),
      fetching_(request, body, request.session.fetch_scratch()) {}

env::Task<void> SessionFetch::gather(env::Instant deadline) {
    if (!ask_due()) co_return;
    // There is somebody to wait for, unless all are unknown.
    const auto& parts = fetching_.parts();
    if (parts.size() == turn_.partitions &&
        std::ranges::none_of(parts, [](const FetchPart& part) { return part.can_be_asked; })) {
        co_return;
    }
    if (!fetching_.is_complete() && deadline > request_.received) co_await wait(deadline);
}

env::Task<void> SessionFetch::wait(env::Instant deadline) {
    auto& connection = request_.connection;
    const Waiting waiting(request_);
    auto& wakeup = request_.session.fetch_scratch().wakeup;
    if (wakeup == nullptr)
        wakeup = std::make_shared<env::Wakeup>(connection.env(), connection.owner());
    connection.on_close([waiter = wakeup.get()] { waiter->notify(); });
    bool makes_way = false;
    if (fetching_.is_followers()) {
        connection.on_more([&makes_way, waiter = wakeup.get()] {
            makes_way = true;
            waiter->notify();
        });
    }
    session_->wake(turn_, wakeup);
    // What is marked from here on wakes; what was marked before is taken now.
    while (ask_due() && !fetching_.is_complete() && !connection.is_closed() && !makes_way) {
        if (!co_await wakeup->wait_until(std::min(deadline, untold_.due()))) break;
    }
    connection.on_close({});
    connection.on_more({});
}

bool SessionFetch::ask_due() {
    FetchScratch& scratch = request_.session.fetch_scratch();
    auto& due = scratch.due;
    if (!session_->take(turn_, request_.arena, scratch.names, due)) return false;
    if (due.empty()) return true;
    const auto image = request_.broker().image.load();
    for (const DuePartition& one : due) ask(one, *image);
    due.clear();
    return true;
}

void SessionFetch::ask(const DuePartition& due, const metadata::Image& image) {
    const auto& [slot, number, topic, asked, told_high_watermark] = due.partition;
    const bool by_id = fetching_.uses_topic_ids();
    const TopicLookup found =
        by_id ? find_by_id(fetching_, image, topic) : fetching_.find(image, topic.name);
    FetchPart& part = fetching_.set(number, topic, asked, found);
    if (found && by_id) {
        if (topic.name.empty()) session_->remember_name(turn_, slot, (*found)->name);
        if ((*found)->id != topic.id && part.can_be_asked)
            fetching_.refuse(part, ErrorCode::inconsistent_topic_id);
    }
    if (part.replica != due.replica) session_->listen(turn_, slot, part.replica);
    fetching_.ask_if_room(number);
    if (fetching_.is_followers() && part.was_asked) {
        untold_.read(told_high_watermark, part.answer,
                     [&] { return request_.connection.env().clock().now(); });
    }
}

Result<void> SessionFetch::answer() {
    if (session_->settle(turn_, fetching_.parts()))
        return fetching_.answer_to(request_, session_->id());
    return answer_session_error(request_, ErrorCode::invalid_fetch_session_epoch, session_->id());
}

Result<void> answer_session_error(Request& request, ErrorCode code, std::int32_t session_id) {
    protocol::FetchResponse response;
    response.error_code = static_cast<std::int16_t>(code);
    response.session_id = session_id;
    return answer(request, response);
}

}  // namespace milena::server
