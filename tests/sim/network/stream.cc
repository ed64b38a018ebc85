// SPDX-License-Identifier: Apache-2.0
// The stream may be destroyed while a call of it waits, so the calls hold the connection and leave
// `this` alone after a wait.
#include "sim/network/stream.h"

#include <algorithm>
#include <vector>

namespace milena::sim {
namespace {

using Side = Connection::Side;

constexpr std::uint64_t kFileStepBytes = 64U << 10;

std::unexpected<Error> broken(std::string_view call, Connection& connection, Side side) {
    const bool own = connection.end(side).is_closed;
    return fail(ErrorCode::network_exception,
                fmt::format("{} {}: {}", call, connection.peer(side).local.text(),
                            own ? "the connection is closed" : "reset by the peer"));
}

/// True if this call is to fail, and the connection with it.
bool is_struck(FaultPlan& faults, Connection& connection) {
    if (!faults.next_call()) return false;
    connection.break_now();
    return true;
}

env::Task<Result<void>> write_all(std::shared_ptr<Connection> connection, Side side,
                                  BytesView bytes) {
    while (!bytes.empty()) {
        if (!Connection::is_usable(connection->end(side)))
            co_return broken("write", *connection, side);
        bytes = bytes.subspan(connection->put(side, bytes));
        if (!bytes.empty()) co_await connection->end(side).writer.wait();
    }
    co_return ok();
}

}  // namespace

SimStream::SimStream(std::shared_ptr<Connection> connection, Side side, FaultPlan& faults)
    : connection_(std::move(connection)),
      side_(side),
      faults_(faults),
      remote_(connection_->peer(side).local),
      local_(connection_->end(side).local) {}

env::Task<Result<std::size_t>> SimStream::read_some(MutableBytes into) {
    const auto connection = connection_;
    const Side side = side_;
    if (is_struck(faults_, *connection)) co_return broken("read", *connection, side);
    ConnectionEnd& end = connection->end(side);
    while (true) {
        if (end.is_closed) co_return broken("read", *connection, side);
        if (into.empty()) co_return std::size_t{0};
        if (!end.inbox.empty()) co_return connection->take(side, into);
        if (end.is_reset) co_return broken("read", *connection, side);
        if (end.saw_end) co_return std::size_t{0};
        co_await end.reader.wait();
    }
}

bool SimStream::readable() const {
    const ConnectionEnd& end = connection_->end(side_);
    return !end.is_closed && (!end.inbox.empty() || end.saw_end || end.is_reset);
}

env::Task<Result<void>> SimStream::write(std::span<const BytesView> pieces) {
    if (is_struck(faults_, *connection_)) co_return broken("write", *connection_, side_);
    const auto connection = connection_;
    const Side side = side_;
    for (const BytesView piece : pieces) CO_TRY_VOID(co_await write_all(connection, side, piece));
    co_return ok();
}

env::Task<Result<void>> SimStream::send_file(const env::File& file, std::uint64_t position,
                                             std::uint64_t length) {
    if (is_struck(faults_, *connection_)) co_return broken("sendfile", *connection_, side_);
    const auto connection = connection_;
    const Side side = side_;
    std::vector<std::byte> buffer;
    while (length > 0) {
        buffer.resize(std::min(length, kFileStepBytes));
        CO_TRY(const std::size_t count, file.read_at(position, buffer));
        CO_TRY_VOID(co_await write_all(connection, side, BytesView(buffer).first(count)));
        if (count < buffer.size()) {
            co_return fail(ErrorCode::network_exception,
                           fmt::format("sendfile: {} ends early", file.path()));
        }
        position += count;
        length -= count;
    }
    co_return ok();
}

}  // namespace milena::sim
