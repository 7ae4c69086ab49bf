#include "broker/resize_request_wire.hpp"

#include <array>
#include <utility>

namespace ductile::broker {

using core::HostShare;

namespace {

// The values of a message and what they mean. `standard` is not in these tables.
constexpr std::array methods{std::pair{wire::MethodWish::merge, plan::Method::merge},
                             std::pair{wire::MethodWish::baseline, plan::Method::baseline}};
constexpr std::array starts{std::pair{wire::StartWish::collective, plan::Start::collective},
                            std::pair{wire::StartWish::single, plan::Start::single},
                            std::pair{wire::StartWish::hypercube, plan::Start::hypercube},
                            std::pair{wire::StartWish::diffusive, plan::Start::diffusive},
                            std::pair{wire::StartWish::launch, plan::Start::launch}};
constexpr std::array overlaps{std::pair{wire::OverlapWish::blocking, plan::Overlap::blocking},
                              std::pair{wire::OverlapWish::background, plan::Overlap::background}};
constexpr std::array joinings{std::pair{wire::JoinWish::point, plan::Joining::point},
                              std::pair{wire::JoinWish::background, plan::Joining::background}};
constexpr std::array memories{std::pair{wire::MemoryWish::keep, plan::Memory::keep},
                              std::pair{wire::MemoryWish::tight, plan::Memory::tight}};
constexpr std::array shrinks{std::pair{wire::ShrinkWish::ts, plan::ShrinkKind::ts},
                             std::pair{wire::ShrinkWish::park, plan::ShrinkKind::park}};

template <class Wish, class Value, std::size_t N>
std::optional<Value> value_of(const std::array<std::pair<Wish, Value>, N>& names, Wish wish) {
    for (const auto& [known, value] : names)
        if (known == wish) return value;
    return std::nullopt;
}

template <class Wish, class Value, std::size_t N>
Wish wish_for(const std::array<std::pair<Wish, Value>, N>& names,
              const std::optional<Value>& wanted) {
    for (const auto& [wish, value] : names)
        if (value == wanted) return wish;
    return Wish::standard;
}

MethodWish method_of(wire::MethodWish wish) {
    if (wish == wire::MethodWish::automatic) return CheapestStrategy{};
    const auto named = value_of(methods, wish);
    return named ? MethodWish{*named} : MethodOfJob{};
}

wire::MethodWish wish_for(const ResizeRequest& request) {
    const bool is_open = std::holds_alternative<CheapestStrategy>(request.method);
    return is_open ? wire::MethodWish::automatic : wish_for(methods, request.named_method());
}

SizeUnit from(wire::SizeUnit unit) {
    return unit == wire::SizeUnit::hosts ? SizeUnit::hosts : SizeUnit::ranks;
}

wire::SizeUnit to_wire(SizeUnit unit) {
    return unit == SizeUnit::hosts ? wire::SizeUnit::hosts : wire::SizeUnit::ranks;
}

// A word that cannot be read is the name of an unknown host.
std::vector<HostShare> from(const std::vector<std::string>& words, const core::IsHost& is_host) {
    std::vector<HostShare> all;
    for (const auto& word : words)
        all.push_back(core::read_host_share(word, is_host).value_or(HostShare{word}));
    return all;
}

std::vector<std::string> to_wire(const std::vector<HostShare>& shares) {
    std::vector<std::string> all;
    for (const auto& share : shares) all.push_back(to_string(share));
    return all;
}

// Takes the goal of the message into the request. Returns false if the message has no goal.
bool take_goal(ResizeRequest& request, const wire::ResizeRequest& message,
               const core::IsHost& is_host) {
    if (!message.release.empty())
        request.goal = GiveBack{from(message.release, is_host)};
    else if (message.renew)
        request.goal = Renewal{};
    else if (message.size)
        request.goal = NewSize{*message.size, from(message.unit)};
    else
        return false;
    return true;
}

}  // namespace

std::optional<ResizeRequest> request_from(const wire::ResizeRequest& message,
                                          const core::IsHost& is_host) {
    ResizeRequest request;
    if (!take_goal(request, message, is_host)) return std::nullopt;
    request.reclaim = from(message.reclaim, is_host);
    request.wait = message.wait;
    request.dry_run = message.dry_run;
    request.replace = message.replace;
    request.method = method_of(message.method);
    request.start = value_of(starts, message.start);
    request.overlap = value_of(overlaps, message.overlap);
    request.joining = value_of(joinings, message.join);
    request.redistribution = message.redistribution;
    request.memory = value_of(memories, message.memory);
    request.shrink = value_of(shrinks, message.shrink);
    request.switch_within_s = message.switch_within_s;
    return request;
}

wire::ResizeRequest to_wire(const ResizeRequest& request) {
    wire::ResizeRequest message;
    if (const auto* wanted = request.size()) {
        message.size = wanted->range;
        message.unit = to_wire(wanted->unit);
    }
    if (const auto* given = request.release()) message.release = to_wire(given->hosts);
    message.renew = request.renews();
    message.reclaim = to_wire(request.reclaim);
    message.wait = request.wait;
    message.dry_run = request.dry_run;
    message.replace = request.replace;
    message.method = wish_for(request);
    message.start = wish_for(starts, request.start);
    message.overlap = wish_for(overlaps, request.overlap);
    message.join = wish_for(joinings, request.joining);
    message.redistribution = request.redistribution;
    message.memory = wish_for(memories, request.memory);
    message.shrink = wish_for(shrinks, request.shrink);
    message.switch_within_s = request.switch_within_s;
    return message;
}

wire::ReplyKind to_wire(ReplyKind kind) {
    switch (kind) {
        case ReplyKind::accepted:
            return wire::ReplyKind::accepted;
        case ReplyKind::done:
            return wire::ReplyKind::done;
        case ReplyKind::rolled_back:
            return wire::ReplyKind::rolled_back;
        case ReplyKind::failed:
            return wire::ReplyKind::failed;
        default:
            return wire::ReplyKind::refused;
    }
}

ProgramLimits limits_from(const wire::CodeOptions& message) {
    return {message.min,      message.max,         message.preferred,
            message.multiple, message.inhibitor_s, message.inhibitor_points,
            message.one_world};
}

wire::CodeOptions to_wire(const ProgramLimits& limits) {
    return {limits.min,      limits.max,         limits.preferred,
            limits.multiple, limits.inhibitor_s, limits.inhibitor_points,
            limits.one_world};
}

}  // namespace ductile::broker
