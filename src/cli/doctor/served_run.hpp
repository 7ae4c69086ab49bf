// Runs a program on this machine as the agent of a job would: it serves PMI-1 to the ranks, and
// MPI_Comm_spawn works.
#pragma once

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "agent/pmi_port.hpp"
#include "cli/doctor/local_worlds.hpp"

namespace ductile::cli {

/// How long the other ranks continue after one rank has failed. This is enough for ranks that
/// should end at the same time, and for MPI_Comm_spawn to return an error.
inline constexpr std::chrono::seconds others_go_on{1};

/// The ranks are children of this process. They die with it, and have its streams, directory and
/// environment. A process may have only one ServedRun, because a ServedRun reaps all children of
/// the process. A ServedRun has no deadline.
class ServedRun {
  public:
    ServedRun() : children_end_(io_, SIGCHLD), too_late_(io_), pmi_port_(io_, {}) {}

    /// Starts a world of `ranks` ranks and serves until they and all that they spawn have ended.
    /// \param program an absolute path, then its arguments.
    /// \return 0 if all processes ended with 0; else the code of the first failure (128 + signal;
    /// 127 if a rank could not be started), or 1 if a rank ended with 0 and never used PMI-1.
    /// Writes `fact pmi_init N` to standard output: N ranks of the first world used PMI-1. Writes
    /// the errors of ranks to standard error.
    int run(int ranks, const std::vector<std::string>& program);

  private:
    struct Process {
        pid_t pid = 0;  ///< 0: the process has been reaped
        int pmi_id = 0;
        std::shared_ptr<agent::PmiSocket> pmi;  ///< null before its MPI has connected
    };
    using Ranks = std::vector<Process>;

    void start_world(WorldNumber number, const std::vector<pmi::SpawnCommand>& commands,
                     bool spawned);
    void start_rank(WorldMember who, const std::vector<std::string>& program, int ranks,
                    bool spawned);
    void take_program(WorldMember who, int ranks, const agent::PmiProgram& program);
    void take(WorldMember who, std::shared_ptr<agent::PmiSocket> pmi);
    void on_lines(WorldMember from, const std::vector<std::string>& lines);
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
    agent::PmiPort pmi_port_;
    LocalWorlds worlds_;
    std::vector<Ranks> processes_;  // by world, by rank
    int code_ = 0;
};

}  // namespace ductile::cli
