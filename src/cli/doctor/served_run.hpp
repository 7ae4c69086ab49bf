// Runs a program on this machine as a job's agent would start it: PMI-1 is served to its ranks, and
// MPI_Comm_spawn works.
#pragma once

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "agent/pmi_socket.hpp"
#include "cli/doctor/local_worlds.hpp"

namespace ductile::cli {

/// How long the other ranks go on once one has failed. Long enough for ranks that are to end at
/// the same time, and for MPI_Comm_spawn to return an error.
inline constexpr std::chrono::seconds others_go_on{1};

/// Its ranks are children of this process, die with it, and have its standard streams, directory
/// and environment. One for a process: it reaps all children. It has no deadline of its own.
class ServedRun {
  public:
    ServedRun() : children_end_(io_, SIGCHLD), too_late_(io_) {}

    /// Starts a world of `ranks` ranks and serves until they and all that they spawn have ended.
    /// \param program an absolute path, then its arguments.
    /// \return 0 when all have ended with 0; else the code of the first that has not (128 and the
    /// signal's number). 1 when a rank has ended with 0 and has not spoken PMI-1.
    /// Writes `fact pmi_init N` to standard output, N ranks of the first world having spoken PMI-1,
    /// and what a rank does wrong to standard error.
    int run(int ranks, const std::vector<std::string>& program);

  private:
    struct Process {
        pid_t pid = 0;  ///< 0: it has been reaped
        std::shared_ptr<agent::PmiSocket> pmi;
    };
    using Ranks = std::vector<Process>;

    void start_world(WorldNumber number, const std::vector<pmi::SpawnCommand>& commands,
                     bool spawned);
    void start_rank(WorldMember who, const std::vector<std::string>& program, int ranks,
                    bool spawned);
    void on_line(WorldMember from, const std::string& line);
    void carry_out(const LocalOutbox& effects);
    void kill_rank(WorldMember who);
    void kill_world(WorldNumber number);
    void wait_for_ends();
    void reap();
    void ended(WorldMember who, int code);
    void failed(int code);
    [[nodiscard]] bool is_over() const;
    Process& process(WorldMember who) {
        return processes_.at(who.world.value).at(static_cast<std::size_t>(who.rank.value));
    }

    asio::io_context io_;
    asio::signal_set children_end_;
    asio::steady_timer too_late_;
    LocalWorlds worlds_;
    std::vector<Ranks> processes_;  // by world, by rank
    int code_ = 0;
};

}  // namespace ductile::cli
