// The families of messages that frames carry.
#pragma once

#include <string_view>
#include <type_traits>
#include <variant>

#include "wire/agent_messages.hpp"
#include "wire/local_messages.hpp"
#include "wire/request_messages.hpp"

namespace ductile::fuzz {

/// Calls `visit(std::type_identity<Family>)` for each family.
template <class Visit>
void for_each_family(const Visit& visit) {
    visit(std::type_identity<wire::FromAgent>{});
    visit(std::type_identity<wire::ToAgent>{});
    visit(std::type_identity<wire::FromStream>{});
    visit(std::type_identity<wire::ToStream>{});
    visit(std::type_identity<wire::FromRank>{});
    visit(std::type_identity<wire::ToRank>{});
    visit(std::type_identity<wire::FromLocal>{});
    visit(std::type_identity<wire::FromShim>{});
    visit(std::type_identity<wire::ToShim>{});
    visit(std::type_identity<wire::ToRemoteLaunch>{});
    visit(std::type_identity<wire::Request>{});
    visit(std::type_identity<wire::Answer>{});
}

template <class... Messages>
bool has_message(std::type_identity<std::variant<Messages...>> /*family*/, std::string_view name) {
    return ((name == Messages::name) || ...);
}

}  // namespace ductile::fuzz
