// A request for MPI_Comm_spawn or MPI_Comm_spawn_multiple, read line by line.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

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

/// Why a request cannot be carried out. Follows "MPI_Comm_spawn by rank 3 fails: ".
struct BadSpawn {
    std::string why;
    bool operator==(const BadSpawn&) const = default;
};

/// Takes the lines after `mcmd=spawn`, up to the `endcmd` of the last command:
///
// clang-format off
///     mcmd=spawn                 (already taken)
///     nprocs=2
///     execname=./solver
///     totspawns=1                commands in the request
///     spawnssofar=1              number of this command, from 1
///     argcnt=1                   MPICH 4.0 and Intel MPI: after the arguments
///     arg1=an argument
///     preput_num=1
///     preput_key_0=PARENT_ROOT_PORT_NAME
///     preput_val_0=tag#0$...
///     info_num=0
///     endcmd
// clang-format on
///
/// A text (execname, an argument, an info key or value) may contain newlines, and PMI-1 does not
/// escape them. So a text runs to the next line that begins with the name that must come next. If a
/// line of a text looks like that, the true line comes later, as a second line of this name: then
/// the request is ambiguous, and is refused. No program gets other words than its parent gave.
/// A request that is refused is still read up to its end. Stores limits::spawn_bytes at most.
class SpawnReader {
  public:
    void add(std::string_view line);
    /// Whether the request ends with the last line, if no further line has come with it.
    [[nodiscard]] bool is_complete() const;
    /// Only if it is complete.
    std::variant<SpawnRequest, BadSpawn> take();
    [[nodiscard]] std::size_t bytes() const { return fault_ ? 0 : bytes_; }

  private:
    void read(std::string_view line);
    void take_field(const std::string& name, std::string_view value);
    void end_command();
    void pass_over(std::string_view line, bool follows_end);
    void refuse(std::string why);

    std::map<std::string, std::string, std::less<>> fields_;  // of the current command
    std::vector<std::string> expected_{"nprocs"};  // names; the next line begins with one of them
    std::string last_;                             // the last name that came
    bool at_end_ = false;                          // the last line was `endcmd`
    int begun_ = 1;                                // commands
    int commands_ = 0;                             // that it announces; 0: unknown
    SpawnRequest request_;
    std::size_t bytes_ = 0;
    std::optional<std::string> fault_;  // the rest of the request is passed over
};

}  // namespace ductile::pmi
