// SPDX-License-Identifier: Apache-2.0
// Any bytes as a log file: both walks end, and what the one that checks finds, the other finds too.
#include "batch_walk.h"

#include <vector>

namespace {

using namespace milena;

class MemoryFile final : public env::File {
public:
    explicit MemoryFile(BytesView bytes) : bytes_(bytes) {}
    const std::string& path() const override { return path_; }
    Result<std::size_t> read_at(std::uint64_t position, MutableBytes into) const override {
        if (position >= bytes_.size()) return 0;
        const std::size_t count = std::min(into.size(), bytes_.size() - position);
        std::copy_n(bytes_.data() + position, count, into.data());
        return count;
    }
    Result<void> write_at(std::uint64_t, std::span<const BytesView>) override { return refuse(); }
    Result<void> truncate(std::uint64_t) override { return refuse(); }
    Result<std::uint64_t> size() const override { return bytes_.size(); }
    Result<void> sync() override { return refuse(); }
    void start_writeback(std::uint64_t, std::uint64_t) override {}
    bool is_cached(std::uint64_t) const override { return true; }

private:
    static Result<void> refuse() { return fail(ErrorCode::kafka_storage_error, "read only"); }

    BytesView bytes_;
    std::string path_ = "memory";
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const MemoryFile file(BytesView(reinterpret_cast<const std::byte*>(data), size));
    storage::HeaderWalk headers(file, 0, size);
    storage::CheckedWalk checked(file, 0, size);
    std::uint64_t end = 0;
    while (true) {
        const auto header = headers.next();
        const auto batch = checked.next();
        INVARIANT(header.has_value() || !batch.has_value(), "a batch without a header");
        if (!batch || !*batch) break;
        INVARIANT((*batch)->position == end && (*header)->position == end, "a walk that jumps");
        INVARIANT((*batch)->size == (*header)->size, "two sizes");
        end = (*batch)->end();
    }
    (void)storage::is_legacy_entry(file, end, size);
    return 0;
}
