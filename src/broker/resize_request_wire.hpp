// A request for a resize as the protocol carries it and as a journal keeps it. Pure.
#pragma once

#include <optional>

#include "broker/resize_request.hpp"
#include "wire/request_messages.hpp"

namespace ductile::broker {

/// Nothing when the message asks for nothing: no size, no host to give back, no renewal. Of several
/// goals hosts to give back come first, then a renewal.
std::optional<ResizeRequest> request_from(const wire::ResizeRequest& message);

wire::ResizeRequest to_wire(const ResizeRequest& request);

}  // namespace ductile::broker
