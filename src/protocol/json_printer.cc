// SPDX-License-Identifier: Apache-2.0
// One pass over the message into one string; commas and keys are put before each value.
#include "json_printer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <string>
#include <string_view>
#include <variant>

#include "json_text.h"

namespace milena::protocol {

namespace {

class JsonPrinter final : public Inspector {
public:
    explicit JsonPrinter(std::int16_t version) : Inspector(version) {}

    bool wants(const Field& field, bool has_default) override {
        return !(field.is_tagged() && has_default);
    }

    void leaf(const Field& field, Leaf place) override {
        // Of records, Kafka's converter prints the size alone unless it is told otherwise.
        const Records* const* const records =
            std::get_if<Records*>(&place) ? &std::get<Records*>(place) : nullptr;
        begin(field, records != nullptr && (*records)->has_value() ? "SizeInBytes" : "");
        std::visit([this](const auto* value) { print(*value); }, place);
    }

    void list(const Field& field, List place) override {
        begin(field);
        const std::optional<std::size_t> size = place.size();
        if (!size) {
            text_ += "null";
            return;
        }
        nested('[', ']', /*keyed=*/false, [&] {
            for (std::size_t i = 0; i < *size; ++i) place.inspect(i, field, *this);
        });
    }

    void object(const Field& field, Object place) override {
        begin(field);
        if (!place.has_value()) {
            text_ += "null";
            return;
        }
        nested('{', '}', /*keyed=*/true, [&] { place.inspect(*this); });
    }

    template <class Show>
    std::string document(const Show& show) {
        nested('{', '}', /*keyed=*/true, [&] { show(*this); });
        return std::move(text_);
    }

private:
    /// The comma and, in an object, the key.
    void begin(const Field& field, std::string_view suffix = "") {
        if (!std::exchange(first_, false)) text_ += ',';
        if (!keyed_) return;
        text_ += '"';
        append_json_name(field.name, text_);
        text_ += suffix;
        text_ += "\":";
    }

    template <class Content>
    void nested(char open, char close, bool keyed, const Content& content) {
        const bool outer = std::exchange(keyed_, keyed);
        first_ = true;
        text_ += open;
        content();
        text_ += close;
        first_ = false;
        keyed_ = outer;
    }

    void print(bool value) { text_ += value ? "true" : "false"; }
    template <class T>
        requires std::is_arithmetic_v<T>
    void print(T number) {
        std::array<char, 32> digits;
        const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
        text_.append(digits.data(), end);
    }
    void print(double number) { append_json_double(number, text_); }
    void print(const Uuid& id) { append_json_string(id.text(), text_); }
    void print(std::string_view text) { append_json_string(text, text_); }
    void print(const NullableString& text) { text ? print(*text) : print(std::nullopt); }
    void print(const Bytes& bytes) { append_json_base64(bytes, text_); }
    void print(const NullableBytes& bytes) { bytes ? print(*bytes) : print(std::nullopt); }
    void print(const Records& records) {
        records.has_value() ? print(records.size()) : print(std::nullopt);
    }
    void print(std::nullopt_t) { text_ += "null"; }

    std::string text_;
    bool first_ = true;
    bool keyed_ = true;
};

}  // namespace

std::string print_json(std::int16_t version, const std::function<void(Inspector&)>& show) {
    JsonPrinter printer(version);
    return printer.document(show);
}

}  // namespace milena::protocol
