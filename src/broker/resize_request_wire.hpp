// Converts resize requests, their answers, and the program's limits to messages and back. A journal
// stores the messages, too. Pure.
#pragma once

#include <optional>

#include "broker/asker.hpp"
#include "broker/limits.hpp"
#include "broker/resize_request.hpp"
#include "wire/from_rank_messages.hpp"
#include "wire/request_messages.hpp"

namespace ductile::broker {

/// None if the message has no goal: no size, no host to give back, no renewal. If the message has
/// several goals, the request has only one: hosts to give back come before a renewal, and a renewal
/// comes before a size. `is_host` says which hosts the job has, for core::read_host_share().
std::optional<ResizeRequest> request_from(const wire::ResizeRequest& message,
                                          const core::IsHost& is_host);

wire::ResizeRequest to_wire(const ResizeRequest& request);

wire::ReplyKind to_wire(ReplyKind kind);

ProgramLimits limits_from(const wire::CodeOptions& message);
wire::CodeOptions to_wire(const ProgramLimits& limits);

}  // namespace ductile::broker
