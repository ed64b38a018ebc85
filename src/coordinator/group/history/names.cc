// SPDX-License-Identifier: Apache-2.0
// The words of causes and steps: operators' dashboards and Milena's tools know them, so they stay.
#include "milena/coordinator/group_events.h"

namespace milena::coordinator {

std::string_view name_of(RebalanceCause cause) {
    switch (cause) {
        case RebalanceCause::member_joined: return "member_joined";
        case RebalanceCause::member_left: return "member_left";
        case RebalanceCause::session_timeout: return "session_timeout";
        case RebalanceCause::rebalance_timeout: return "rebalance_timeout";
        case RebalanceCause::subscription_changed: return "subscription_changed";
        case RebalanceCause::leader_rejoined: return "leader_rejoined";
        case RebalanceCause::instance_returned: return "instance_returned";
        case RebalanceCause::topics_changed: return "topics_changed";
        case RebalanceCause::assignment_not_stored: return "assignment_not_stored";
        case RebalanceCause::protocol_changed: return "protocol_changed";
        case RebalanceCause::group_too_large: return "group_too_large";
    }
    return {};
}

std::string_view name_of(AwaitedStep step) {
    switch (step) {
        case AwaitedStep::join: return "join";
        case AwaitedStep::come_with_id: return "come_with_id";
        case AwaitedStep::assign: return "assign";
        case AwaitedStep::sync: return "sync";
        case AwaitedStep::revoke: return "revoke";
        case AwaitedStep::heartbeat: return "heartbeat";
        case AwaitedStep::come_back: return "come_back";
    }
    return {};
}

}  // namespace milena::coordinator
