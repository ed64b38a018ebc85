// SPDX-License-Identifier: Apache-2.0
// First the store, then the log: what both have comes twice, the newer last.
#include "group_load.h"

namespace milena::drivers {
namespace {

/// So many unreadable records are told one by one.
constexpr std::uint64_t kBadRecordsTold = 10;
constexpr std::uint64_t kRecordsBetweenLooks = 1024;

class Loading {
public:
    Loading(coordinator::Groups& groups, const Logger& log) : groups_(groups), log_(log) {}

    void take(const coordinator::RecordView& record) {
        ++records_;
        const auto loaded = groups_.load(record);
        if (loaded || ++bad_ > kBadRecordsTold) return;
        LOG_ERROR(log_, "a record of groups can't be read and is passed over",
                  kv("offset", record.offset), kv("why", loaded.error().why));
    }

    bool is_time_to_look() const { return records_ % kRecordsBetweenLooks == 0; }

    void tell_rest() const {
        if (bad_ <= kBadRecordsTold) return;
        LOG_ERROR(log_, "more records of groups can't be read",
                  kv("count", bad_ - kBadRecordsTold));
    }

private:
    coordinator::Groups& groups_;
    const Logger& log_;
    std::uint64_t records_ = 0;
    std::uint64_t bad_ = 0;
};

}  // namespace

Result<ReadTail> load_groups(const GroupSources& from, coordinator::Groups& groups,
                             const Logger& log) {
    Loading loading(groups, log);
    TRY_VOID(load_stored(from.stored,
                         [&](const coordinator::RecordView& record) { loading.take(record); }));
    TRY(const ReadTail tail,
        read_tail(from.partition, from.log, [&](const coordinator::RecordView& record) {
            loading.take(record);
            return !loading.is_time_to_look() || !from.is_over();
        }));
    loading.tell_rest();
    return tail;
}

}  // namespace milena::drivers
