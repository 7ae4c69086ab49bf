// Who made a request, and the replies to it. These are values: the broker sends the replies.
#pragma once

#include <functional>
#include <string>
#include <variant>
#include <vector>

#include "core/layout.hpp"

namespace ductile::broker {

enum class ReplyKind { refused, accepted, done, rolled_back, failed };

struct Reply {
    ReplyKind kind = ReplyKind::refused;
    std::string text;       ///< for a person
    std::string data = {};  ///< for a program: JSON
};

/// A command, on its own connection. The user may have ended the command.
struct AskingCommand {
    /// `last`: the connection is closed after this reply.
    std::function<void(const Reply& reply, bool last)> reply;
    /// The resize was called off after the command had received "accepted", and the request is
    /// taken up again. The command only gets the last reply now.
    bool was_accepted = false;
};
/// A rank on which the program made the request. The rank only gets the last reply.
struct AskingRank {
    core::RankRange rank;
    int number = 0;  ///< of the request: each rank numbers its own requests
};
/// The user who reads the output of `ductile run`. This user is only told of a refusal.
struct JobsUser {
    std::string before;  ///< the text before the reason
};
/// The policy of the job. It only gets the last reply.
struct AskingPolicy {
    int decision = 0;
};
using Asker = std::variant<AskingCommand, AskingRank, JobsUser, AskingPolicy>;
/// Empty if nobody waits for the answer.
using Askers = std::vector<Asker>;

}  // namespace ductile::broker
