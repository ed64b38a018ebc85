// SPDX-License-Identifier: Apache-2.0
// Lines of text to records, as kafka-console-producer's reader takes them apart.
#pragma once

#include <map>

#include "records/batch_writer.h"

namespace milena::cli {

class LineReader {
public:
    /// The properties parse.key, key.separator and so on; others are passed over. An error if two
    /// separators are the same, so that a line could mean two things.
    static Result<LineReader> make(
        const std::map<std::string, std::string, std::less<>>& properties);

    /// The next line, without its end. The error says what was not found in it.
    Result<ProducedRecord> parse(std::string_view line);

private:
    LineReader() = default;
    Result<void> check_separators() const;
    Result<std::optional<std::string_view>> part(std::string_view& line, std::string_view separator,
                                                 std::string_view name);
    Result<std::vector<Header>> headers(std::string_view text) const;
    std::optional<std::string> value_of(std::string_view text) const;

    bool parse_key_ = false;
    bool parse_headers_ = false;
    bool ignore_error_ = false;
    std::string key_separator_ = "\t";
    std::string headers_delimiter_ = "\t";
    std::string headers_separator_ = ",";
    std::string headers_key_separator_ = ":";
    std::optional<std::string> null_marker_;
    std::string_view line_;
    std::uint64_t number_ = 0;
};

}  // namespace milena::cli
