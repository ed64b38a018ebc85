// SPDX-License-Identifier: Apache-2.0
// Requests that are the controller's to decide, asked of any broker (KIP-590). They go on as the
// client sent them, inside an Envelope, with who sent them; where the controller is on this node
// they are served here in the same way. While there is no controller, or it is lost, they are tried
// again until their own time is over.
//
//   client -> broker: serve_by_controller -> ControllerPort -> Envelope -> 58_envelope: the handler
//   client <- broker <- once this node's image holds what was changed <- Envelope's answer
#pragma once

#include "../api.h"

namespace milena::server {

/// Serves a request of this broker's client by the active controller. What can't be had of it is
/// answered in the request's own layout, as its handler answers an error of the controller.
env::Task<Result<void>> serve_by_controller(Request& request, const Api& api);

/// A request of our own making.
struct InnerRequest {
    const protocol::MessageType& type;
    const void* body;
    std::int16_t version;
    env::Instant deadline;
};
/// Header and body of its answer by the active controller, to whom it seems to come from the client
/// of `request`. An error if none is had until its deadline.
env::Task<Result<std::vector<std::byte>>> ask_active_controller(const Request& request,
                                                                InnerRequest inner);

template <class T>
struct AnswerOfController {
    std::vector<std::byte> frame;
    T body;
};

/// The same with structs. The answer's arrays are in the arena of `request`.
template <class Response, class Body>
env::Task<Result<AnswerOfController<Response>>> ask_active_controller(const Request& request,
                                                                      const Body& body,
                                                                      std::int16_t version,
                                                                      env::Instant deadline) {
    AnswerOfController<Response> answer;
    CO_TRY(answer.frame, co_await ask_active_controller(
                             request, InnerRequest{Body::kType, &body, version, deadline}));
    ByteReader reader(answer.frame);
    CO_TRY_VOID(
        protocol::read_response_head(*protocol::find_api(Body::kType.key), version, reader));
    CO_TRY(answer.body, protocol::decode<Response>(reader, version, request.arena));
    co_return answer;
}

}  // namespace milena::server
