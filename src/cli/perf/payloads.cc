// SPDX-License-Identifier: Apache-2.0
// One record after the other from one generator.
#include "perf/payloads.h"

namespace milena::cli {

Payloads::Payloads(Plan plan)
    : plan_(std::move(plan)), random_(plan_.seed), letters_(plan_.record_bytes, '\0') {}

void Payloads::advance() {
    ++number_;
    if (plan_.record_bytes != 0) {
        random_.fill_with_letters(letters_);
        value_ = letters_;
    } else if (!plan_.texts.empty()) {
        value_ = plan_.texts[random_.next_below(static_cast<std::uint32_t>(plan_.texts.size()))];
    } else {
        letters_ = std::to_string(number_);
        value_ = letters_;
    }
    if (plan_.keys == Keys::none) return;
    key_text_ = std::to_string(plan_.keys == Keys::range ? number_ % plan_.key_range
                                                         : random_.next_below(plan_.key_range));
    key_ = key_text_;
}

std::vector<std::string> split_payloads(std::string_view text, std::string_view delimiter) {
    std::vector<std::string> texts;
    for (;;) {
        const std::size_t end = delimiter.empty() ? std::string_view::npos : text.find(delimiter);
        texts.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + delimiter.size());
    }
    while (!texts.empty() && texts.back().empty()) texts.pop_back();
    return texts;
}

}  // namespace milena::cli
