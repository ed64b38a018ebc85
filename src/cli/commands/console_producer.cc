// SPDX-License-Identifier: Apache-2.0
// milena console-producer, kafka-console-producer.sh: lines of standard input become records. What
// has been read is sent before the next read, so a line that was typed is out at once.
#include <unistd.h>

#include <cerrno>

#include "cluster/connect_options.h"
#include "cluster/producer.h"
#include "command_files.h"
#include "console.h"
#include "records/line_reader.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

struct Options {
    Parser parser{"console-producer",
                  "This tool helps to read data from standard input and publish it to Kafka."};
    const Option& topic =
        parser.required(parser.option("topic", "The topic to produce messages to."));
    const RecordClientOptions client{parser, {"producer-property", "producer.config"}};
    const Option& sync = parser.flag("sync", "Send each line by itself.");
    const Option& codec =
        parser.option("compression-codec", "none, gzip, snappy, lz4 or zstd; gzip without a value.",
                      Takes::optional);
    const Option& batch_size = parser.option("batch-size", "Bytes of a batch (16384).");
    const Option& partition_memory =
        parser.option("max-partition-memory-bytes", "The older name of --batch-size.");
    const Option& retries =
        parser.option("message-send-max-retries", "How often a batch is sent again (3).");
    const Option& backoff =
        parser.option("retry-backoff-ms", "The pause before it is sent again (100).");
    const Option& linger = parser.option("timeout", "Accepted; lines are sent at once.");
    const Option& acks = parser.option("request-required-acks", "0, 1 or all (-1).");
    const Option& request_timeout =
        parser.option("request-timeout-ms", "What a leader may take to acknowledge (1500).");
    const Option& metadata_expiry = parser.option("metadata-expiry-ms", "Accepted.");
    const Option& max_block = parser.option("max-block-ms", "Accepted.");
    const Option& max_memory = parser.option("max-memory-bytes", "Accepted.");
    const Option& socket_buffer = parser.option("socket-buffer-size", "Accepted.");
    const Option& line_reader = parser.option("line-reader", "Only the default reader is there.");
    const Option& reader_property =
        parser.option("reader-property",
                      "key=value: parse.key, key.separator, parse.headers, headers.delimiter, "
                      "headers.separator, headers.key.separator, ignore.error, null.marker.",
                      Takes::many);
    const Option& property =
        parser.option("property", "The older name of --reader-property.", Takes::many);
    const Option& reader_config = parser.option("reader-config", "A file of such properties.");

    std::optional<int> check() const;
    Connect connect() const;
};

std::optional<int> Options::check() const {
    if (const auto exit_code = parser.only_one_name(reader_property, property)) return exit_code;
    if (const auto exit_code = client.check(parser)) return exit_code;
    if (line_reader && line_reader.text() != "org.apache.kafka.tools.LineMessageReader") {
        return parser.wrong_usage(
            fmt::format("There is no line reader {} here", line_reader.text()));
    }
    return std::nullopt;
}

Connect Options::connect() const {
    Connect connect = client.connect("console-producer");
    const std::array merged{std::pair(&acks, "acks"), std::pair(&batch_size, "batch.size"),
                            std::pair(&retries, "retries"), std::pair(&backoff, "retry.backoff.ms"),
                            std::pair(&request_timeout, "request.timeout.ms")};
    if (partition_memory && !batch_size)
        connect.properties.push_back(fmt::format("batch.size={}", partition_memory.text()));
    for (const auto& [option, key] : merged) {
        if (*option) connect.properties.push_back(fmt::format("{}={}", key, option->text()));
    }
    if (codec)
        connect.properties.push_back(fmt::format("compression.type={}", codec.text_or("gzip")));
    return connect;
}

/// Bytes of standard input: as many as there are; none at its end.
env::Task<Result<std::string>> read_input(env::Env& env) {
    std::string bytes(kReadBytes, '\0');
    ssize_t count = 0;
    int error = 0;
    co_await env.offload(env::Pool::disk, [&bytes, &count, &error] {
        do {
            count = ::read(STDIN_FILENO, bytes.data(), bytes.size());
            error = errno;
        } while (count < 0 && error == EINTR);
    });
    if (count < 0) co_return std::unexpected(env::storage_error("read", "standard input", error));
    bytes.resize(static_cast<std::size_t>(count));
    co_return bytes;
}

/// The producer of lines: one request at a time keeps them in order, and none waits for more.
ProducerOptions line_producer() {
    ProducerOptions options;
    options.limits.linger = env::Duration::zero();
    options.requests_max = 1;
    options.timeout_ms = 1'500;
    options.retries = 3;
    return options;
}

void complain(const std::string& topic, std::span<const RecordReceipt> records,
              const Error& error) {
    const auto size = [](std::int64_t bytes) {
        return bytes < 0 ? std::string("null") : fmt::format("{} bytes", bytes);
    };
    for (const RecordReceipt& record : records) {
        print_error(log_line(
            "ERROR",
            fmt::format("Error when sending message to topic {} with key: {}, value: {} with "
                        "error:",
                        topic, size(record.key_bytes), size(record.value_bytes)),
            "org.apache.kafka.clients.producer.internals.ErrorLoggingCallback"));
        print_error(exception_text(error) + "\n");
    }
}

/// Sends one line.
env::Task<Result<void>> send_line(Session& session, Producer& producer, LineReader& reader,
                                  std::string_view line) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    CO_TRY(auto record, reader.parse(line));
    record.timestamp = session.env().clock().wall().value;
    co_await producer.send(record.parts());
    co_return ok();
}

env::Task<Result<void>> send_lines(Session& session, Producer& producer, LineReader reader,
                                   bool each_alone) {
    const bool is_terminal = ::isatty(STDIN_FILENO) != 0;
    std::string rest;
    for (bool at_end = false; !at_end;) {
        if (is_terminal) print(">");
        flush_output();
        CO_TRY(const auto bytes, co_await read_input(session.env()));
        at_end = bytes.empty();
        rest += bytes;
        std::size_t begin = 0;
        for (;;) {
            std::size_t end = rest.find('\n', begin);
            if (end == std::string::npos && (!at_end || begin == rest.size())) break;
            end = std::min(end, rest.size());
            const auto sent = co_await send_line(session, producer, reader,
                                                 std::string_view(rest).substr(begin, end - begin));
            if (!sent || each_alone) co_await producer.flush();
            CO_TRY_VOID(sent);
            begin = std::min(end + 1, rest.size());
        }
        rest.erase(0, begin);
        co_await producer.flush();
    }
    co_return ok();
}

env::Task<Result<void>> produce(Session& session, const Options& options) {
    ClientProperties properties;
    if (options.reader_config) {
        CO_TRY(properties, read_client_properties(session.env().files(),
                                                  std::string(options.reader_config.text())));
    }
    CO_TRY_VOID(add_properties(properties, options.reader_property ? options.reader_property.values
                                                                   : options.property.values));
    CO_TRY(const auto producer_settings, producer_options(session.properties(), line_producer()));
    CO_TRY(auto reader, LineReader::make(properties));
    const std::string topic(options.topic.text());
    Producer producer(session, topic, producer_settings,
                      [&topic](std::span<const RecordReceipt> records, const Error* error) {
                          if (error != nullptr) complain(topic, records, *error);
                      });
    CO_TRY_VOID(co_await producer.open());
    const auto sent =
        co_await send_lines(session, producer, std::move(reader), options.sync.is_given);
    co_await producer.close();
    co_return sent;
}

int run(const Arguments& arguments) {
    Options options;
    options.parser.required(options.client.bootstrap);
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    if (const auto exit_code = options.check()) return *exit_code;
    const auto done = in_session(
        options.connect(), [&options](Session& session) { return produce(session, options); });
    if (done) return kExitOk;
    const bool is_of_line = done.error().code == ErrorCode::invalid_record;
    print_error(is_of_line
                    ? fmt::format("org.apache.kafka.common.KafkaException: {}\n", done.error().why)
                    : exception_text(done.error()) + "\n");
    return kExitFailed;
}

}  // namespace

Command command_console_producer() {
    return {.about = "Lines of standard input become records", .run = run};
}

}  // namespace milena::cli
