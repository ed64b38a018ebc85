// SPDX-License-Identifier: Apache-2.0
// I14: what was answered to the making or deleting of a topic holds for every later answer of a
// server whose metadata had come that far, and no id is given twice. One client does both, so
// "later" is the order of its steps. After a change without an answer anything may be, for ever:
// the request may wait in a server's listen queue. And a broker passes a change on again when the
// controller was lost before it had answered, so a refusal (there is one, there is none) may be the
// answer to the second try of a change that was made: what it says of the topic holds all the same.
#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "sim/checkers/checker.h"

namespace milena::sim {
namespace {

/// What may be, of one topic.
struct Known {
    bool is_certain = true;
    std::optional<Uuid> id{};  ///< if certain; none: there is no topic
    std::int64_t since = 0;    ///< by this offset
    /// If certain: there is one, whose id nobody has been told yet.
    bool is_nameless = false;
};

std::string text_of(const Known& known) {
    if (known.is_nameless) return "a topic";
    return known.id ? "id " + known.id->text() : "no topic";
}

class Checking {
public:
    explicit Checking(Findings& findings) : findings_(findings) {}

    void take(const TopicStep& step) {
        Known& known = known_[step.topic];
        switch (step.kind) {
            case TopicStep::Kind::created: created(step, known); break;
            case TopicStep::Kind::deleted: deleted(step, known); break;
            case TopicStep::Kind::described: described(step, known);
        }
    }

private:
    void created(const TopicStep& step, Known& known) {
        if (!step.is_answered) {
            known.is_certain = false;
            return;
        }
        if (!step.id) {
            if (known.is_certain && !known.id) known = {.since = step.offset, .is_nameless = true};
            return;
        }
        if (known.is_certain && (known.id || known.is_nameless))
            findings_.add(step.topic + " was made anew, though " + text_of(known) + " exists");
        if (!used_.insert(step.id->text()).second)
            findings_.add(step.topic + " was made with id " + step.id->text() +
                          " of an earlier one");
        if (known.is_certain) known = {.id = step.id, .since = step.offset};
    }

    void deleted(const TopicStep& step, Known& known) {
        if (step.id) used_.insert(step.id->text());
        if (!step.is_answered) {
            known.is_certain = false;
            return;
        }
        if (known.is_certain && step.id && !known.is_nameless && known.id != step.id) {
            findings_.add(step.topic + ": id " + step.id->text() + " was deleted, though " +
                          text_of(known) + " was known");
        }
        if (known.is_certain) known = {.id = std::nullopt, .since = step.offset};
    }

    void described(const TopicStep& step, Known& known) {
        if (step.id) used_.insert(step.id->text());
        if (!step.is_answered || !known.is_certain || step.offset < known.since) return;
        if (known.is_nameless && step.id) {
            known = {.id = step.id, .since = known.since};
            return;
        }
        if (!known.is_nameless && known.id == step.id) return;
        findings_.add(fmt::format("{}: {} was found on {} at offset {}, though {} was known at {}",
                                  step.topic, text_of({.id = step.id}), step.server, step.offset,
                                  text_of(known), known.since));
    }

    Findings& findings_;
    std::map<std::string, Known> known_;
    std::set<std::string> used_;
};

}  // namespace

void metadata_is_linearizable(const History& history, Findings& findings) {
    Checking checking(findings);
    for (const TopicStep& step : history.topics) checking.take(step);
}

}  // namespace milena::sim
