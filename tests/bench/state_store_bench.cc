// SPDX-License-Identifier: Apache-2.0
// What committed offsets cost in the state store: time, memory and disk.
//
//   state_store_bench DIRECTORY [OFFSETS [OFFSETS_OF_A_GROUP]]    1000000 and 100
//
// The directory is removed first. Offsets are committed twice, the second time in another order.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "milena/storage/state_store.h"

namespace milena::storage {
namespace {

constexpr std::size_t kWriteRecords = 1000;
constexpr StateSpace kSpace{Uuid{1, 2}, PartitionIndex(17)};

double now_ms() {
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration<double, std::milli>(now).count();
}

template <class Work>
double measure(Work work) {
    const double before = now_ms();
    work();
    return now_ms() - before;
}

void print(const char* what, double value, const char* unit) {
    std::printf("%-58s %10.2f %s\n", what, value, unit);
    std::fflush(stdout);
}

/// VmRSS or VmHWM.
double resident_mib(const std::string& field) {
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with(field + ":")) return std::stod(line.substr(field.size() + 1)) / 1024;
    }
    return 0;
}

double directory_mib(const std::string& directory) {
    double bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(directory))
        bytes += static_cast<double>(file.file_size());
    return bytes / (1 << 20);
}

void check(const Result<void>& done) {
    if (done) return;
    std::printf("%s\n", done.error().why.c_str());
    std::exit(1);
}

template <class T>
void put(std::string& to, T number) {
    const std::size_t at = to.size();
    to.resize(at + sizeof number);
    store(reinterpret_cast<std::byte*>(to.data()) + at, number);
}

void put_text(std::string& to, std::string_view text) {
    put(to, static_cast<std::int16_t>(text.size()));
    to += text;
}

/// Begins all keys of a group: OffsetCommitKey.
std::string group_prefix(std::int64_t group) {
    std::string key;
    put<std::int16_t>(key, 1);
    put_text(key, fmt::format("consumer-group-{:06}", group));
    return key;
}

std::string offset_key(std::int64_t group, std::int64_t partition) {
    std::string key = group_prefix(group);
    put_text(key, "orders-of-the-day");
    put(key, static_cast<std::int32_t>(partition));
    return key;
}

/// OffsetCommitValue, version 3.
std::string offset_value(std::int64_t offset) {
    std::string value;
    put<std::int16_t>(value, 3);
    put(value, offset);
    put<std::int32_t>(value, 5);
    put_text(value, "");
    put<std::int64_t>(value, 1'700'000'000'000 + offset);
    return value;
}

struct Wanted {
    std::string directory;
    std::int64_t offsets = 1'000'000;
    std::int64_t of_a_group = 100;

    std::int64_t groups() const { return offsets / of_a_group; }
};

/// All offsets in the order of `step`, which has no factor in common with their number.
void commit_all(StateStore& to, const Wanted& wanted, std::int64_t step, std::int64_t applied) {
    std::vector<std::pair<std::string, std::string>> pairs;
    std::vector<StateChange> changes;
    for (std::int64_t i = 0; i < wanted.offsets; ++i) {
        const std::int64_t number = i * step % wanted.offsets;
        pairs.emplace_back(offset_key(number / wanted.of_a_group, number % wanted.of_a_group),
                           offset_value(applied + i));
        if (pairs.size() < kWriteRecords && i + 1 < wanted.offsets) continue;
        changes.clear();
        for (const auto& [key, value] : pairs) changes.push_back({as_bytes(key), as_bytes(value)});
        check(to.write(kSpace, changes, {Offset(applied + i + 1), LeaderEpoch(1), 1}));
        pairs.clear();
    }
}

void write_groups(StateStore& to, const Wanted& wanted, std::int64_t applied) {
    std::string value(500, 'm');
    for (std::int64_t group = 0; group < wanted.groups(); group += 2) {
        std::string key;
        put<std::int16_t>(key, 2);
        put_text(key, fmt::format("consumer-group-{:06}", group));
        const StateChange change{as_bytes(key), as_bytes(value)};
        check(to.write(kSpace, std::span(&change, 1), {Offset(applied), LeaderEpoch(1), 1}));
    }
}

std::size_t scan_group(const StateStore& in, std::int64_t group) {
    std::size_t count = 0;
    const std::string prefix = group_prefix(group);
    check(in.scan(kSpace, as_bytes(prefix), {}, [&](BytesView, BytesView) {
        ++count;
        return true;
    }));
    return count;
}

/// As a coordinator that takes over reads: all keys of types 2 and above, and of the offsets one
/// key of each group.
std::size_t take_over(const StateStore& in) {
    std::size_t count = 0;
    std::string from;
    put<std::int16_t>(from, 2);
    check(in.scan(kSpace, {}, as_bytes(from), [&](BytesView, BytesView) {
        ++count;
        return true;
    }));
    std::string offsets;
    put<std::int16_t>(offsets, 1);
    std::string at = offsets;
    for (bool has_more = true; has_more;) {
        has_more = false;
        check(in.scan(kSpace, as_bytes(offsets), as_bytes(at), [&](BytesView key, BytesView) {
            has_more = true;
            const auto name_bytes = static_cast<std::size_t>(load<std::int16_t>(key.data() + 2));
            at = as_text(key.first(4 + name_bytes));
            at += std::string(8, '\xFF');
            return false;
        }));
        count += has_more ? 1 : 0;
    }
    return count;
}

void read(const StateStore& in, const Wanted& wanted) {
    print("first scan of a group", measure([&] { scan_group(in, wanted.groups() / 3); }), "ms");
    constexpr int kScans = 1000;
    std::size_t found = 0;
    const double scans = measure([&] {
        for (int i = 0; i < kScans; ++i) found += scan_group(in, i * 7919LL % wanted.groups());
    });
    print("scan of a group", scans / kScans * 1000, "us");
    print("offsets of it", static_cast<double>(found) / kScans, "");
    const double gets = measure([&] {
        for (int i = 0; i < kScans; ++i) {
            const auto key = offset_key(i * 7919LL % wanted.groups(), i % wanted.of_a_group);
            if (!in.get(kSpace, as_bytes(key)).value()) std::exit(1);
        }
    });
    print("get of an offset", gets / kScans * 1000, "us");
    std::size_t keys = 0;
    print("take-over, first", measure([&] { keys = take_over(in); }), "ms");
    print("take-over, again", measure([&] { take_over(in); }), "ms");
    print("keys read for it", static_cast<double>(keys), "");
}

int run(const Wanted& wanted) {
    std::filesystem::remove_all(wanted.directory);
    print("resident before", resident_mib("VmRSS"), "MiB");
    {
        const auto store = open_state_store(Logger(make_console_sink()), wanted.directory);
        print("first write: opens",
              measure([&] { check(store->write(kSpace, {}, {Offset(0), LeaderEpoch(1), 1})); }),
              "ms");
        print("resident, open and empty", resident_mib("VmRSS"), "MiB");
        print("all offsets once", measure([&] { commit_all(*store, wanted, 1, 0); }), "ms");
        print("resident", resident_mib("VmRSS"), "MiB");
        const double again = measure([&] { commit_all(*store, wanted, 611'953, wanted.offsets); });
        print("all offsets again", again, "ms");
        write_groups(*store, wanted, 2 * wanted.offsets);
        print("resident", resident_mib("VmRSS"), "MiB");
        print("of which it says", static_cast<double>(store->memory_bytes()) / (1 << 20), "MiB");
        print("flush", measure([&] { check(store->flush()); }), "ms");
        read(*store, wanted);
        print("resident", resident_mib("VmRSS"), "MiB");
        print("most that was resident", resident_mib("VmHWM"), "MiB");
        print("directory", directory_mib(wanted.directory), "MiB");
    }
    const auto store = open_state_store(Logger(), wanted.directory);
    print("opened again", measure([&] { (void)store->position(kSpace); }), "ms");
    read(*store, wanted);
    return 0;
}

}  // namespace
}  // namespace milena::storage

int main(int count, char** arguments) {
    milena::storage::Wanted wanted;
    if (count < 2) return 2;
    wanted.directory = arguments[1];
    if (count > 2) wanted.offsets = std::stoll(arguments[2]);
    if (count > 3) wanted.of_a_group = std::stoll(arguments[3]);
    return milena::storage::run(wanted);
}
