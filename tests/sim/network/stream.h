// SPDX-License-Identifier: Apache-2.0
// The stream door, on a simulated connection.
#pragma once

#include "milena/env/network.h"
#include "sim/faults.h"
#include "sim/network/connection.h"

namespace milena::sim {

/// One end of a simulated connection, as its process holds it.
class SimStream final : public env::Stream {
public:
    SimStream(std::shared_ptr<Connection> connection, Connection::Side side, FaultPlan& faults);
    ~SimStream() override { close(); }

    env::Task<Result<std::size_t>> read_some(MutableBytes into) override;
    bool readable() const override;
    env::Task<Result<void>> write(std::span<const BytesView> pieces) override;
    env::Task<Result<void>> send_file(const env::File& file, std::uint64_t position,
                                      std::uint64_t length) override;
    /// All cores of a simulated node are one thread.
    Result<void> move_to(env::Executor) override { return ok(); }
    void close() override { connection_->close(side_); }
    const env::Endpoint& remote() const override { return remote_; }
    const env::Endpoint& local() const override { return local_; }

private:
    std::shared_ptr<Connection> connection_;
    Connection::Side side_;
    FaultPlan& faults_;
    env::Endpoint remote_;
    env::Endpoint local_;
};

}  // namespace milena::sim
