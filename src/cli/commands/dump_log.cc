// SPDX-License-Identifier: Apache-2.0
// milena dump-log, kafka-dump-log.sh: the text of log files, indexes, snapshots of producers and
// snapshots of the metadata log. It reads the files and never writes.
#include "command_files.h"
#include "console.h"
#include "dump/side_files.h"
#include "milena/env/env.h"
#include "parser.h"
#include "text/hash_order.h"

namespace milena::cli {
namespace {

struct Options {
    Parser parser{
        "dump-log",
        "This tool helps to parse a log file and dump its contents to the console, useful "
        "for debugging a seemingly corrupt log segment."};
    const Option& files =
        parser.required(parser.option("files", "The files to dump, with commas between them."));
    const Option& print_data =
        parser.flag("print-data-log", "Print keys and values; implies --deep-iteration.");
    const Option& deep = parser.flag("deep-iteration", "Print records, not just batches.");
    const Option& skip_metadata =
        parser.flag("skip-record-metadata", "Leave offset, time and so on of records out.");
    const Option& cluster_metadata = parser.flag("cluster-metadata-decoder",
                                                 "Values are records of the metadata log; implies "
                                                 "--print-data-log.");
    const Option& verify_index =
        parser.flag("verify-index-only", "Check indexes and print nothing of them.");
    const Option& sanity =
        parser.flag("index-sanity-check", "Only check that the size of an index can be right.");
    const Option& bytes_max = parser.option("max-bytes", "How much of a log file is read.");
    const Option& message_max =
        parser.option("max-message-size", "Accepted: a batch is read whole.");
};

/// What is told when all files were read.
struct Findings {
    std::vector<std::pair<std::string, Mismatches>> mismatches;
    std::vector<std::pair<std::string, Gaps>> gaps;
};

Result<void> dump_log_file(env::FileSystem& files, const std::string& path,
                           const DumpOptions& options, Findings& findings) {
    TRY(const auto file, files.open(path, env::OpenMode::read_only));
    const auto base = base_offset_of(path);
    if (!base) {
        return fail(ErrorCode::invalid_request,
                    fmt::format("the name of {} begins with no offset", path));
    }
    if (path.ends_with(".log")) {
        print(fmt::format("Log starting offset: {}\n", *base));
    } else {
        // 00000000000000000191-0000000001.checkpoint
        const std::string name = path.substr(path.rfind('/') + 1);
        const std::size_t dash = name.find('-');
        print(fmt::format("Snapshot end offset: {}, epoch: {}\n", *base,
                          std::atol(name.c_str() + (dash == std::string::npos ? 0 : dash + 1))));
    }
    Gaps gaps;
    const auto dumped = dump_log(*file, options, print, gaps);
    if (!gaps.empty()) findings.gaps.emplace_back(path, std::move(gaps));
    return dumped;
}

Result<void> check_size(env::FileSystem& files, const std::string& path, std::uint64_t entry) {
    TRY(const auto file, files.open(path, env::OpenMode::read_only));
    TRY(const std::uint64_t size, file->size());
    if (size % entry != 0) {
        return fail(ErrorCode::corrupt_message,
                    fmt::format("Index file {} is corrupt, found {} bytes which is neither "
                                "positive nor a multiple of {}",
                                path, size, entry));
    }
    print(fmt::format("{} passed sanity check.\n", path));
    return ok();
}

Result<void> dump(env::FileSystem& files, const std::string& path, const Options& options,
                  const DumpOptions& settings, Findings& findings) {
    constexpr std::uint64_t kOffsetEntryBytes = 8;
    constexpr std::uint64_t kTimeEntryBytes = 12;
    print(fmt::format("Dumping {}\n", path));
    if (path.ends_with(".log") || path.ends_with(".checkpoint"))
        return dump_log_file(files, path, settings, findings);
    if (path.ends_with(".index")) {
        if (options.sanity) return check_size(files, path, kOffsetEntryBytes);
        Mismatches mismatches;
        TRY_VOID(dump_offset_index(files, path, options.verify_index.is_given, print, mismatches));
        if (!mismatches.empty()) findings.mismatches.emplace_back(path, std::move(mismatches));
        return ok();
    }
    if (path.ends_with(".timeindex")) {
        if (options.sanity) return check_size(files, path, kTimeEntryBytes);
        return dump_time_index(files, path, options.verify_index.is_given, print);
    }
    if (path.ends_with(".snapshot")) return dump_producers(files, path, print);
    if (path.ends_with(".txnindex")) return dump_transaction_index(files, path, print);
    print_error(fmt::format("Ignoring unknown file {}\n", path));
    return ok();
}

/// Findings in the order in which the tool's map of files lists them.
template <class Found>
std::vector<const std::pair<std::string, Found>*> in_map_order(
    const std::vector<std::pair<std::string, Found>>& findings) {
    std::vector<std::string_view> paths;
    for (const auto& [path, found] : findings) paths.push_back(path);
    std::vector<const std::pair<std::string, Found>*> ordered;
    for (const std::size_t at : scala_hash_order(paths)) ordered.push_back(&findings[at]);
    return ordered;
}

void print_findings(const Findings& findings) {
    for (const auto* const file : in_map_order(findings.mismatches)) {
        print_error(fmt::format("Mismatches in :{}\n", file->first));
        for (const auto& [index, log] : file->second)
            print_error(fmt::format("  Index offset: {}, log offset: {}\n", index, log));
    }
    for (const auto* const file : in_map_order(findings.gaps)) {
        print_error(fmt::format("Non-consecutive offsets in {}\n", file->first));
        for (const auto& [first, second] : file->second)
            print_error(fmt::format("  {} is followed by {}\n", first, second));
    }
}

int run(const Arguments& arguments) {
    Options options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    const auto bytes_max = options.parser.number(options.bytes_max, INT64_MAX);
    if (!bytes_max) return options.parser.wrong_usage(bytes_max.error().why);
    DumpOptions settings;
    settings.cluster_metadata = options.cluster_metadata.is_given;
    settings.contents = options.print_data || options.cluster_metadata;
    settings.records = settings.contents || options.deep;
    settings.record_metadata = !options.skip_metadata.is_given;
    settings.bytes_max = static_cast<std::uint64_t>(std::max<std::int64_t>(*bytes_max, 0));
    const auto env = env::make_real_env(1);
    Findings findings;
    std::string_view paths = options.files.text();
    while (!paths.empty()) {
        const std::size_t comma = std::min(paths.find(','), paths.size());
        const std::string path(paths.substr(0, comma));
        paths.remove_prefix(std::min(comma + 1, paths.size()));
        if (const auto dumped = dump(env->files(), path, options, settings, findings); !dumped) {
            print_error(dumped.error().why + "\n");
            return kExitFailed;
        }
    }
    print_findings(findings);
    return kExitOk;
}

}  // namespace

Command command_dump_log() {
    return {.about = "The text of log files, indexes and snapshots", .run = run};
}

}  // namespace milena::cli
