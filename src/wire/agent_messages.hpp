// The messages between agents and the broker. One connection carries orders and reports. A second
// connection carries standard streams.
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
    std::string data;  ///< whole lines; a rank's last line may lack its newline
    template <class V>
    void visit(V& v) {
        v.id("group", group), v.id("rank", rank), v.number("stream", stream, 1, 2);
        v.bytes("data", data, limits::data_bytes);
    }
};
struct Input {
    static constexpr std::string_view name = "input";
    std::string data;  ///< empty: standard input has ended
    template <class V>
    void visit(V& v) {
        v.bytes("data", data, limits::data_bytes);
    }
};
/// Messages from an agent on the connection for streams. The agent sends AgentHello first, and
/// AgentGoodbye after its last Output.
using FromStream = std::variant<AgentHello, Output, AgentGoodbye>;
using ToStream = std::variant<Input>;

}  // namespace ductile::wire
