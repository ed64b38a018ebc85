// SPDX-License-Identifier: Apache-2.0
// An inspector that takes each value from the JSON object it stands in.
#include "json_reader.h"

#include <cctype>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "milena/protocol/inspector.h"

namespace milena::protocol {

namespace {

using Json = nlohmann::json;

std::string key_of(const Field& field) {
    std::string key = field.name;
    key[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(key[0])));
    return key;
}

std::string from_base64(const std::string& text) {
    const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string bytes;
    unsigned bits = 0;
    int count = 0;
    for (const char digit : text) {
        if (digit == '=') break;
        bits = bits << 6 | static_cast<unsigned>(digits.find(digit));
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xFF);
    }
    return bytes;
}

class JsonReader final : public Inspector {
public:
    JsonReader(std::int16_t version, Arena& arena, const Json& json)
        : Inspector(version), arena_(arena), json_(&json) {}

    std::size_t taken() const { return taken_; }

    bool wants(const Field& field, bool) override {
        const bool here = json_->contains(key_of(field));
        EXPECT_TRUE(here || field.is_tagged()) << "JSON without " << field.name;
        return here;
    }
    void leaf(const Field& field, Leaf place) override {
        const Json& value = take(field);
        std::visit([&](auto* target) { read(value, *target); }, place);
    }
    void list(const Field& field, List place) override {
        const Json& elements = take(field);
        if (elements.is_null()) return place.assign(std::nullopt, arena_);
        place.assign(elements.size(), arena_);
        for (std::size_t i = 0; i < elements.size(); ++i) {
            element_ = &elements[i];
            place.inspect(i, field, *this);
        }
    }
    void object(const Field& field, Object place) override {
        const Json& value = take(field);
        place.assign(!value.is_null());
        if (value.is_null()) return;
        JsonReader inner(version(), arena_, value);
        place.inspect(inner);
        EXPECT_EQ(inner.taken(), value.size()) << "unknown keys in " << value;
    }

private:
    /// The value of the field, or the element that stands for it.
    const Json& take(const Field& field) {
        if (element_ != nullptr) return *std::exchange(element_, nullptr);
        ++taken_;
        return (*json_)[key_of(field)];
    }

    template <class T>
        requires std::is_arithmetic_v<T>
    void read(const Json& value, T& target) {
        target = value.get<T>();
    }
    void read(const Json& value, Uuid& target) {
        target = Uuid::parse(value.get<std::string>()).value();
    }
    void read(const Json& value, std::string_view& target) {
        target = arena_.copy(value.get<std::string>());
    }
    void read(const Json& value, Bytes& target) {
        target = arena_.copy(as_bytes(from_base64(value.get<std::string>())));
    }
    void read(const Json& value, NullableString& target) {
        target = std::nullopt;
        if (!value.is_null()) target = arena_.copy(value.get<std::string>());
    }
    void read(const Json& value, NullableBytes& target) {
        target = std::nullopt;
        if (!value.is_null()) target = arena_.copy(as_bytes(from_base64(value.get<std::string>())));
    }
    void read(const Json& value, Records& target) {
        EXPECT_TRUE(value.is_null()) << "JSON does not hold records";
        target = std::nullopt;
    }

    Arena& arena_;
    const Json* json_;
    const Json* element_ = nullptr;
    std::size_t taken_ = 0;
};

}  // namespace

void* read_json(const MessageType& type, std::int16_t version, const std::string& json,
                Arena& arena) {
    const Json parsed = Json::parse(json);
    void* const message = make_message(type, arena);
    JsonReader reader(version, arena, parsed);
    inspect_message(type, message, reader);
    EXPECT_EQ(reader.taken(), parsed.size()) << "unknown keys in " << json;
    return message;
}

}  // namespace milena::protocol
