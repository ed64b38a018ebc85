// SPDX-License-Identifier: Apache-2.0
// Accepts, reads one request, answers it and closes. Few connections at a time, none for long: who
// is slow or silent is closed by the sweep.
#include <list>

#include "http_request.h"
#include "milena/server/admin.h"

namespace milena::server {
namespace {

constexpr std::size_t kConnectionsMax = 32;
/// From accept to the last byte of the answer.
constexpr env::Duration kConnectionTime = std::chrono::seconds(30);
constexpr env::Duration kSweepInterval = std::chrono::seconds(1);
/// Most that is read of a request that was refused.
constexpr std::size_t kDrainedBytesMax = 64UL * 1024;
constexpr env::Duration kAcceptPause = std::chrono::milliseconds(100);

struct Open {
    std::unique_ptr<env::Stream> stream;
    env::Instant give_up;
};
using OpenList = std::list<Open>;

class HttpAdminServer final : public AdminServer {
public:
    HttpAdminServer(env::Env& env, Logger log, std::unique_ptr<env::Acceptor> acceptor,
                    AdminPages& pages)
        : env_(env),
          log_(std::move(log)),
          acceptor_(std::move(acceptor)),
          pages_(pages),
          pause_(env, env.control()),
          ended_(env, env.control()) {}

    const env::Endpoint& local() const override { return acceptor_->local(); }

    void serve() override {
        running_ += 2;
        env::spawn(env_.control(), accept());
        env::spawn(env_.control(), sweep());
    }

    env::Task<void> stop() override {
        stopping_ = true;
        acceptor_->close();
        pause_.notify();
        for (Open& open : open_) open.stream->close();
        while (running_ != 0) co_await ended_.wait_until(env::kNever);
    }

private:
    void leave() {
        if (--running_ == 0) ended_.notify();
    }

    env::Task<void> accept() {
        for (;;) {
            auto stream = co_await acceptor_->accept(env_.control());
            if (stream) {
                admit(std::move(*stream));
            } else if (is_retriable(stream.error().code) && !stopping_) {
                co_await env_.sleep(env_.control(), kAcceptPause);
            } else {
                break;
            }
        }
        leave();
    }

    /// One too many is closed at once: a scraper comes again.
    void admit(std::unique_ptr<env::Stream> stream) {
        if (stopping_ || open_.size() >= kConnectionsMax) return stream->close();
        open_.push_back({std::move(stream), env_.clock().now() + kConnectionTime});
        ++running_;
        env::spawn(env_.control(), converse(std::prev(open_.end())));
    }

    env::Task<void> converse(OpenList::iterator open) {
        auto done = co_await serve_one(*open->stream);
        if (!done) LOG_DEBUG(log_, "admin request not served", kv("why", done.error().why));
        open->stream->close();
        open_.erase(open);
        leave();
    }

    env::Task<Result<void>> serve_one(env::Stream& stream) {
        HttpRequestParser parser;
        std::array<std::byte, 4096> bytes;
        std::optional<HttpRequest> request;
        while (!request) {
            CO_TRY(const std::size_t count, co_await stream.read_some(bytes));
            if (count == 0) co_return ok();
            auto taken = parser.take(BytesView(bytes).first(count));
            if (!taken) {
                AdminAnswer refused;
                refused.status = parser.status();
                refused.body = taken.error().why + "\n";
                CO_TRY_VOID(co_await send(stream, http_answer(refused, false)));
                co_return co_await drain(stream, bytes);
            }
            request = std::move(*taken);
        }
        const AdminAnswer answer = co_await answer_to(*request);
        co_return co_await send(stream, http_answer(answer, request->is_head));
    }

    env::Task<AdminAnswer> answer_to(const HttpRequest& request) {
        AdminAnswer answer;
        if (!request.is_get) {
            answer.status = 405;
            answer.body = "only GET and HEAD\n";
            co_return answer;
        }
        auto page = co_await pages_.get(request.path);
        if (page) co_return std::move(*page);
        answer.status = 404;
        answer.body = "no such page: there are /metrics, /healthz and /healthz/live\n";
        co_return answer;
    }

    static env::Task<Result<void>> send(env::Stream& stream, std::string text) {
        const BytesView piece = as_bytes(text);
        co_return co_await stream.write(std::span(&piece, 1));
    }

    /// A close with bytes unread resets the connection, and the peer may lose the answer.
    static env::Task<Result<void>> drain(env::Stream& stream, MutableBytes into) {
        for (std::size_t drained = 0; drained < kDrainedBytesMax && stream.readable();) {
            CO_TRY(const std::size_t count, co_await stream.read_some(into));
            if (count == 0) break;
            drained += count;
        }
        co_return ok();
    }

    env::Task<void> sweep() {
        while (!stopping_) {
            co_await pause_.wait_until(env_.clock().now() + kSweepInterval);
            const env::Instant now = env_.clock().now();
            for (Open& open : open_) {
                if (open.give_up <= now) open.stream->close();
            }
        }
        leave();
    }

    env::Env& env_;
    Logger log_;
    std::unique_ptr<env::Acceptor> acceptor_;
    AdminPages& pages_;
    OpenList open_;
    std::size_t running_ = 0;  ///< coroutines that stop() waits for
    bool stopping_ = false;
    env::Wakeup pause_;
    env::Wakeup ended_;
};

}  // namespace

Result<std::unique_ptr<AdminServer>> AdminServer::open(env::Env& env, Logger log,
                                                       const env::Endpoint& endpoint,
                                                       AdminPages& pages) {
    auto acceptor = env.network().listen(endpoint, env.control());
    if (!acceptor) return fail_at("milena.admin.listener", acceptor.error());
    return std::make_unique<HttpAdminServer>(env, std::move(log), std::move(*acceptor), pages);
}

}  // namespace milena::server
