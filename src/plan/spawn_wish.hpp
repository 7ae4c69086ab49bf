// What a program requests by MPI_Comm_spawn or MPI_Comm_spawn_multiple, and where it can start.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "plan/child_placement.hpp"

namespace ductile::plan {

struct SpawnInfo {
    std::string key, value;
    bool operator==(const SpawnInfo&) const = default;
};
struct SpawnCommand {
    int ranks = 1;
    std::vector<std::string> program;  ///< the program and its arguments
    std::vector<SpawnInfo> info;
    bool operator==(const SpawnCommand&) const = default;
};
struct SpawnWish {
    std::vector<SpawnCommand> commands;
    bool operator==(const SpawnWish&) const = default;
};

/// The program of some of the new ranks.
struct ChildProgram {
    int ranks = 1;
    int appnum = 0;  ///< index of the command
    std::vector<std::string> program;
    std::string directory;  ///< info key `wdir`
    std::string path;       ///< info key `path`
    bool operator==(const ChildProgram&) const = default;
};

struct FittedSpawn {
    SpawnWish wish;
    /// What the user should know, to follow "MPI_Comm_spawn by rank R: ".
    std::vector<std::string> notes;
};

/// The request, with fewer ranks for each command whose info has the key `soft`: as many as `soft`
/// allows and as there are free slots. If the command names hosts, only their slots count. If
/// `soft` allows no such number, the command keeps its ranks, and a note says so: mpiexec ignores
/// `soft`, and programs rely on it. The other commands keep their ranks, even without free slots,
/// and take their slots first. Returns the reason if a `soft` is no set of numbers.
std::variant<FittedSpawn, std::string> fit_to_slots(SpawnWish wish, std::vector<ChildHost> hosts);
/// A note for each info key that has no effect.
std::vector<std::string> keys_without_effect(const SpawnWish& wish);
/// Where the processes of a spawn run, or the reason why they cannot run. Places the commands one
/// after the other, each as its info requests. So a host may have several shares.
std::variant<std::vector<core::Share>, std::string> place_spawn(const SpawnWish& wish,
                                                                std::vector<ChildHost> hosts,
                                                                core::HostIndex caller);
/// The programs of `ranks` ranks of the group, from rank `first` on.
std::vector<ChildProgram> programs_of_spawn(const SpawnWish& wish, int first, int ranks);

}  // namespace ductile::plan
