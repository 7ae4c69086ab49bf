// A request for MPI_Comm_spawn or MPI_Comm_spawn_multiple, read line by line.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pmi/command.hpp"
#include "pmi/world_messages.hpp"

namespace ductile::pmi {

/// One entry of an MPI_Info.
struct InfoEntry {
    std::string key, value;
    bool operator==(const InfoEntry&) const = default;
};

/// One command of a request: `ranks` processes of one program.
struct SpawnCommand {
    int ranks = 0;
    std::string program;
    std::vector<std::string> arguments;  ///< without the program's name; may contain empty strings
    std::vector<InfoEntry> info;
    bool operator==(const SpawnCommand&) const = default;
};

/// The request of one MPI_Comm_spawn(_multiple): one world with the ranks of all commands.
struct SpawnRequest {
    std::vector<SpawnCommand> commands;  ///< at least one; the first ranks run the first command
    Keys keys;                           ///< keys that the new world has from its start
    bool operator==(const SpawnRequest&) const = default;
    /// The number of ranks of all commands: from 0 to limits::ranks_per_spawn.
    [[nodiscard]] int ranks() const;
};

struct NeedMore {
    bool operator==(const NeedMore&) const = default;
};
/// The result of a line: more lines are needed, the request is complete, or it breaks the protocol.
using SpawnProgress = std::variant<NeedMore, SpawnRequest, Refused>;

/// Takes the lines after `mcmd=spawn`, up to the `endcmd` of the last command:
///
///     mcmd=spawn                 (already taken)
///     nprocs=2
///     execname=./solver
///     totspawns=1                commands in the request
///     spawnssofar=1              number of this command, from 1
///     arg1=an argument
///     argcnt=1
///     preput_num=1
///     preput_key_0=PARENT_ROOT_PORT_NAME
///     preput_val_0=tag#0$...
///     info_num=0
///     endcmd
///
/// The lines of a command may have any order. Unknown names are ignored. A value is all that
/// follows the '='. Stores limits::spawn_bytes at most.
class SpawnReader {
  public:
    /// Must not be called again after a result other than NeedMore.
    SpawnProgress add(std::string_view line);
    [[nodiscard]] std::size_t bytes() const { return bytes_; }

  private:
    SpawnProgress end_command();

    std::map<std::string, std::string, std::less<>> fields_;  // of the current command
    bool in_command_ = true;
    int commands_ = 0;  // number of commands in the request; 0: unknown
    SpawnRequest request_;
    std::size_t bytes_ = 0;
};

}  // namespace ductile::pmi
