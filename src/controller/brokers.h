// SPDX-License-Identifier: Apache-2.0
// The life of a broker: registered (fenced) -> unfenced -> in controlled shutdown -> fenced, or
// fenced when its session ends, until it registers again as another incarnation or is unregistered.
// And the registrations of controllers.
#pragma once

#include "broker_contacts.h"
#include "broker_suspicions.h"
#include "view.h"

namespace milena::controller {

/// What is known of brokers that no record tells.
struct BrokerKnowledge {
    const BrokerContacts& contacts;
    const BrokerSuspicions& suspicions;
    env::Instant now;
};

Decision<Result<RegisterBrokerReply>> register_broker(const View& view,
                                                      const BrokerKnowledge& known,
                                                      const RegisterBrokerRequest& request,
                                                      Offset next);

/// BROKER_ID_NOT_REGISTERED or STALE_BROKER_EPOCH if that broker, in that epoch, is not one of the
/// cluster.
Result<const metadata::BrokerRegistration*> find_broker(const View& view, BrokerId id,
                                                        BrokerEpoch epoch);

/// `contacts` has heard this heartbeat already.
Decision<Result<BrokerHeartbeatReply>> heartbeat(const View& view, const BrokerContacts& contacts,
                                                 const BrokerHeartbeatRequest& request);

Decision<Result<void>> unregister_broker(const View& view, BrokerId broker);

/// Takes a broker out of service.
Records fence(const View& view, const metadata::BrokerRegistration& broker);

Decision<Result<void>> register_controller(const View& view,
                                           const RegisterControllerRequest& request);

}  // namespace milena::controller
