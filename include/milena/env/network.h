// SPDX-License-Identifier: Apache-2.0
// TCP. A stream belongs to one executor, where all its calls are made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "milena/base/bytes.h"
#include "milena/env/clock.h"
#include "milena/env/files.h"
#include "milena/env/task.h"

namespace milena::env {

/// A host, by name or address, and a port. Prints as host:port, IPv6 addresses in brackets.
struct Endpoint {
    std::string host;
    std::uint16_t port = 0;

    std::string text() const;
    auto operator<=>(const Endpoint&) const = default;
};

/// One connection. At most one read and one write at a time; a read and a write may overlap. Errors
/// carry NETWORK_EXCEPTION. Destroying it closes it.
class Stream {
public:
    virtual ~Stream() = default;
    /// At least one byte, or 0 when the peer has sent its last.
    virtual Task<Result<std::size_t>> read_some(MutableBytes into) = 0;
    /// True if bytes, or the end, can be read without waiting.
    virtual bool readable() const = 0;
    /// All of the pieces, in order.
    virtual Task<Result<void>> write(std::span<const BytesView> pieces) = 0;
    /// `length` bytes of `file` from `position`, without a copy in user space where the system can.
    /// If the file ends before that, an error: a frame once begun can't be mended, so the caller
    /// closes.
    virtual Task<Result<void>> send_file(const File& file, std::uint64_t position,
                                         std::uint64_t length) = 0;
    /// From now on it belongs to `owner`. Nothing may be running; an error closes it.
    virtual Result<void> move_to(Executor owner) = 0;
    /// Ends what is running with an error; the peer sees the end, or a reset if it had sent more
    /// than was read.
    virtual void close() = 0;
    virtual const Endpoint& remote() const = 0;
    virtual const Endpoint& local() const = 0;
};

class Acceptor {
public:
    virtual ~Acceptor() = default;
    /// The next connection, bound to `owner`. One call at a time. NETWORK_EXCEPTION (say, out of
    /// descriptors) is retriable: try again after a pause. Any other error means that the acceptor
    /// was closed.
    virtual Task<Result<std::unique_ptr<Stream>>> accept(Executor owner) = 0;
    virtual void close() = 0;
    /// With the port that was chosen where 0 was asked for.
    virtual const Endpoint& local() const = 0;
};

/// How the error of a connect() ends if nobody listens there.
inline constexpr std::string_view kConnectionRefused = "Connection refused";
/// True if `error` came from such a connect(), through however many fail_at().
inline bool is_connection_refused(const Error& error) {
    return error.code == ErrorCode::network_exception && error.why.ends_with(kConnectionRefused);
}

class Network {
public:
    virtual ~Network() = default;
    /// An empty host listens on every address, IPv6 and IPv4. The error names the endpoint.
    virtual Result<std::unique_ptr<Acceptor>> listen(const Endpoint& endpoint, Executor owner) = 0;
    /// Resolves and connects, each address in turn, until `give_up`; call it on `owner`.
    virtual Task<Result<std::unique_ptr<Stream>>> connect(Endpoint endpoint, Executor owner,
                                                          Instant give_up) = 0;
    /// The same for as long as the system tries.
    Task<Result<std::unique_ptr<Stream>>> connect(Endpoint endpoint, Executor owner) {
        return connect(std::move(endpoint), owner, kNever);
    }
};

}  // namespace milena::env
