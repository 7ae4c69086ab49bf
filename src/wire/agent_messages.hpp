// What agents and the broker say to each other: orders and news on one connection, standard streams
// on a second one.
#pragma once

#include <string>
#include <variant>

#include "wire/from_agent_messages.hpp"
#include "wire/to_agent_messages.hpp"

namespace ductile::wire {

struct Output {
    static constexpr std::string_view name = "output";
    GroupId group;
    Rank rank;
    int stream = 1;
    std::string data;  ///< whole lines; the last one of a rank may lack its newline
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank), v.number("stream", stream, 1, 2);
        v.bytes("data", data, limits::data_bytes);
    }
};
struct Input {
    static constexpr std::string_view name = "input";
    std::string data;  ///< empty: standard input is at its end
    template <class V>
    void visit(V& v) {
        v.bytes("data", data, limits::data_bytes);
    }
};
/// First message of the connection; after the last Output an agent sends AgentGoodbye here, too.
using FromStream = std::variant<AgentHello, Output, AgentGoodbye>;
using ToStream = std::variant<Input>;

}  // namespace ductile::wire
