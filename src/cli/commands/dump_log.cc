// SPDX-License-Identifier: Apache-2.0
// milena dump-log, kafka-dump-log.sh: the text of log files, indexes, snapshots of producers and
// snapshots of the metadata log. It reads the files and never writes.
#include <filesystem>

#include "command_files.h"
#include "console.h"
#include "dump/side_files.h"
#include "milena/env/env.h"
#include "parser.h"
#include "progress.h"
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
                                                 "Values are records of the metadata log; this "
                                                 "and the other decoders imply --print-data-log.");
    const Option& offsets =
        parser.flag("offsets-decoder", "Records are those of __consumer_offsets.");
    const Option& transactions =
        parser.flag("transaction-log-decoder", "Records are those of __transaction_state.");
    const Option& share_groups =
        parser.flag("share-group-state-decoder", "Records are those of __share_group_state.");
    const Option& remote_log =
        parser.flag("remote-log-metadata-decoder", "Records are those of __remote_log_metadata.");
    const Option& key_class =
        parser.option("key-decoder-class",
                      "How keys become text: org.apache.kafka.tools.api.StringDecoder (default), "
                      "IntegerDecoder, LongDecoder or DefaultDecoder.",
                      Takes::optional);
    const Option& value_class =
        parser.option("value-decoder-class", "The same of values.", Takes::optional);
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
    std::vector<std::pair<std::string, TimeFindings>> times;
    std::vector<std::pair<std::string, Gaps>> gaps;
};

/// A file as findings name it.
std::string absolute(const std::string& path) {
    return std::filesystem::absolute(path).string();
}

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
    TRY(const std::uint64_t size, file->size());
    Progress progress("Dumping " + path, size, "bytes", Progress::Output::flows);
    DumpOptions watched = options;
    watched.on_position = [&progress](std::uint64_t position) { progress.at(position); };
    const auto dumped = dump_log(*file, watched, print, gaps);
    if (!gaps.empty()) findings.gaps.emplace_back(absolute(path), std::move(gaps));
    return dumped;
}

Result<void> dump(env::FileSystem& files, const std::string& path, const Options& options,
                  const DumpOptions& settings, Findings& findings) {
    print(fmt::format("Dumping {}\n", path));
    if (path.ends_with(".log") || path.ends_with(".checkpoint"))
        return dump_log_file(files, path, settings, findings);
    if (path.ends_with(".index")) {
        if (options.sanity) return check_index(files, path, print);
        Mismatches mismatches;
        TRY_VOID(dump_offset_index(files, path, options.verify_index.is_given, print, mismatches));
        if (!mismatches.empty())
            findings.mismatches.emplace_back(absolute(path), std::move(mismatches));
        return ok();
    }
    if (path.ends_with(".timeindex")) {
        if (options.sanity) return check_index(files, path, print);
        TimeFindings times;
        TRY_VOID(dump_time_index(files, path, options.verify_index.is_given, print, times));
        if (!times.empty()) findings.times.emplace_back(absolute(path), std::move(times));
        return ok();
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
    for (const std::size_t at : default_hash_order(paths)) ordered.push_back(&findings[at]);
    return ordered;
}

/// `headline`, and a line for each pair; nothing if there is none.
void print_pairs(std::string_view headline, fmt::format_string<std::int64_t&, std::int64_t&> line,
                 const Mismatches& pairs) {
    if (pairs.empty()) return;
    print_error(fmt::format("{}\n", headline));
    for (auto [first, second] : pairs) print_error(fmt::format(line, first, second));
}

void print_findings(const Findings& findings) {
    for (const auto* const file : in_map_order(findings.mismatches)) {
        print_pairs("Mismatches in :" + file->first, "  Index offset: {}, log offset: {}\n",
                    file->second);
    }
    for (const auto* const file : in_map_order(findings.times)) {
        print_pairs("Found timestamp mismatch in :" + file->first,
                    "  Index timestamp: {}, log timestamp: {}\n", file->second.timestamps);
    }
    for (const auto* const file : in_map_order(findings.times)) {
        print_pairs("Found out of order timestamp in :" + file->first,
                    "  Index timestamp: {}, Previously indexed timestamp: {}\n",
                    file->second.out_of_order);
    }
    for (const auto* const file : in_map_order(findings.times)) {
        print_pairs("The following indexed offsets are not found in the log.",
                    "Indexed offset: {}, found log offset: {}\n", file->second.offsets);
    }
    for (const auto* const file : in_map_order(findings.gaps)) {
        print_pairs("Non-consecutive offsets in " + file->first, "  {} is followed by {}\n",
                    file->second);
    }
}

/// The decoder that counts if several are given is the first of these.
Contents::Are contents_of(const Options& options) {
    using Are = Contents::Are;
    const std::array decoders{std::pair(&options.offsets, Are::groups),
                              std::pair(&options.transactions, Are::transactions),
                              std::pair(&options.cluster_metadata, Are::cluster_metadata),
                              std::pair(&options.remote_log, Are::remote_log_metadata),
                              std::pair(&options.share_groups, Are::share_groups)};
    for (const auto& [option, are] : decoders) {
        if (*option) return are;
    }
    return Are::parts;
}

Result<DumpOptions> settings_of(const Options& options) {
    constexpr std::string_view kText = "org.apache.kafka.tools.api.StringDecoder";
    DumpOptions settings;
    TRY(const auto bytes_max, options.parser.number(options.bytes_max, INT64_MAX));
    settings.bytes_max = static_cast<std::uint64_t>(std::max<std::int64_t>(bytes_max, 0));
    settings.decoding.are = contents_of(options);
    TRY(settings.decoding.key, parse_decoder_class(options.key_class.text_or(kText)));
    TRY(settings.decoding.value, parse_decoder_class(options.value_class.text_or(kText)));
    settings.contents = options.print_data || options.key_class || options.value_class ||
                        settings.decoding.are != Contents::Are::parts;
    settings.records = settings.contents || options.deep;
    settings.record_metadata = !options.skip_metadata.is_given;
    return settings;
}

int run(const Arguments& arguments) {
    Options options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    const auto settings = settings_of(options);
    if (!settings) return options.parser.wrong_usage(settings.error().why);
    const auto env = env::make_real_env(1);
    Findings findings;
    std::string_view paths = options.files.text();
    while (!paths.empty()) {
        const std::size_t comma = std::min(paths.find(','), paths.size());
        const std::string path(paths.substr(0, comma));
        paths.remove_prefix(std::min(comma + 1, paths.size()));
        if (const auto dumped = dump(env->files(), path, options, *settings, findings); !dumped) {
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
