// SPDX-License-Identifier: Apache-2.0
// Subscriptions by pattern (KIP-848): which topics a pattern matches is found out by the
// coordinator, beside everybody, when a member comes with a new one, when topics came, and now and
// then anyway. Patterns are those of RE2, in linear time, and match a whole name.
#pragma once

#include "../decision.h"

namespace milena::coordinator {

/// INVALID_REGULAR_EXPRESSION if it is none.
Result<void> check_regex(const std::string& regex);

class RegexWork final : public GroupWork {
public:
    RegexWork(const Table& table, const ConsumerGroup& group);
    void run() override;

    const std::string& group() const { return group_; }
    std::int64_t version() const { return version_; }
    /// By pattern, names in order.
    const std::map<std::string, std::vector<std::string>>& matched() const { return matched_; }

private:
    std::string group_;
    std::int64_t version_;
    std::shared_ptr<const TopicsView> topics_;
    std::map<std::string, std::vector<std::string>> matched_;
};

/// Begins to look the group's patterns up, if that is due.
void resolve_if_due(Decision& decision, ConsumerGroup& group);
/// They are: what has changed is written, and makes a new epoch.
void resolved(Decision& decision, const RegexWork& work);

}  // namespace milena::coordinator
