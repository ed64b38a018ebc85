// SPDX-License-Identifier: Apache-2.0
// Fetch: asks each partition what it has, waits for more if that is too little, and answers with
// ranges of files. Sessions (KIP-227) are not granted: every answer says session 0, upon which
// clients send all their partitions.
#include "milena/protocol/messages/fetch.h"

#include "../api.h"
#include "../fetch_wait.h"
#include "../fetching.h"

namespace milena::server {
namespace {

using protocol::FetchRequest;
using protocol::FetchResponse;

/// Epochs that open a session or ask for none; any other goes on with one, which we never granted.
bool names_all_partitions(const FetchRequest& body) {
    return body.session_epoch == 0 || body.session_epoch == -1;
}

Result<void> answer_no_session(Request& request) {
    FetchResponse response;
    response.error_code = static_cast<std::int16_t>(ErrorCode::fetch_session_id_not_found);
    return answer(request, response);
}

/// Waits until there is enough, the deadline comes, or the connection closes.
env::Task<void> wait_for_more(Request& request, Fetching& fetching, env::Instant deadline) {
    auto& connection = request.connection;
    const auto wait =
        std::make_shared<FetchWait>(connection.env(), connection.owner(), fetching.parts().size());
    connection.on_close(wait->end());
    for (std::size_t i = 0; i < fetching.parts().size(); ++i) {
        if (const auto& replica = fetching.parts()[i].replica) replica->listen(wait->listener(i));
    }
    fetching.ask_all();  // what came before we listened would else be missed
    while (!fetching.is_complete() && !connection.is_closed()) {
        const auto news = co_await wait->news(deadline);
        if (news.empty()) break;
        for (const auto number : news) fetching.ask(number);
    }
    for (std::size_t i = 0; i < fetching.parts().size(); ++i) {
        if (const auto& replica = fetching.parts()[i].replica)
            replica->unlisten(wait->listener(i).lock().get());
    }
    connection.on_close({});
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<FetchRequest>(request));
    if (!names_all_partitions(body)) co_return answer_no_session(request);
    Fetching fetching(request, body);
    fetching.ask_all();
    if (!fetching.is_complete() && body.max_wait_ms > 0 && !fetching.parts().empty()) {
        co_await wait_for_more(request, fetching, request.deadline(body.max_wait_ms));
        if (request.connection.is_closed()) co_return ok();
    }
    co_return fetching.answer_to(request);
}

}  // namespace

Api api_01() {
    return make_api(protocol::ApiKey::fetch, &serve);
}

}  // namespace milena::server
