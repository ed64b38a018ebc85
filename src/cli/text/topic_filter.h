// SPDX-License-Identifier: Apache-2.0
// Topics chosen by a regular expression, as the tools take one: commas mean "or", and the whole
// name must match.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "milena/base/result.h"

namespace milena::cli {

class TopicFilter {
public:
    /// An error for what is no regular expression.
    static Result<TopicFilter> parse(std::string_view text);
    bool allows(std::string_view topic) const;

private:
    struct Pattern;
    std::shared_ptr<const Pattern> pattern_;
};

/// __consumer_offsets, __transaction_state and __share_group_state.
bool is_internal_topic(std::string_view topic);

}  // namespace milena::cli
