// A group whose ranks the agent starts itself and serves PMI-1 to, over a socket that each
// inherits.
#pragma once

#include <map>
#include <optional>

#include "agent/group_run.hpp"
#include "agent/pmi_socket.hpp"
#include "pmi/host_world.hpp"

namespace ductile::agent {

class ServedGroup : public GroupRun {
  public:
    /// Precondition: `what.manager` is a ServedWorld.
    ServedGroup(AgentContext& around, wire::StartRun what);

    /// Starts the ranks; where a rank of another group starts them StartRanks follows.
    void start(const wire::AgentWelcome& welcome) override;
    /// The rank that starts them is in MPI_Comm_spawn. Throws InputError when that is not due.
    void start_ranks(const wire::AgentWelcome& welcome, const wire::StartRanks& order);

    void on(const wire::BarrierReleased& message);
    void on(const wire::OpenGate& message);
    void on(const wire::NameAnswer& message);
    void on(const wire::SpawnAnswer& message);

    /// What only a broker could answer is answered with an error.
    void set_brokerless(bool on) override;
    /// Where its ranks wait, and what they have published; what they have asked is given up.
    void tell_again() override;
    void signal_ranks(int number) override;
    void kill() override;
    void end_as_told() override;
    [[nodiscard]] std::set<pid_t> children() const override;
    bool child_reaped(pid_t pid, int status) override;

  private:
    /// A rank's process; pid 0 before it is started and after it is reaped.
    struct Process {
        pid_t pid = 0;
        std::shared_ptr<PmiSocket> pmi;
        std::string blame;              ///< why it was killed
        std::optional<int> abort_code;  ///< it has called MPI_Abort: the exit code that it asks for
    };
    [[nodiscard]] Process& process(core::Rank rank) {
        return processes_[static_cast<std::size_t>(rank.value - what_.first_rank)];
    }
    [[nodiscard]] static pmi::WorldRank in_world(core::Rank rank) {
        return pmi::WorldRank{rank.value};
    }
    void start_all(const wire::AgentWelcome& welcome, pmi::Keys keys, pmi::Gate gate);
    void start_one(const wire::AgentWelcome& welcome, core::Rank rank);
    [[nodiscard]] std::vector<std::string> environment_of(core::Rank rank,
                                                          const wire::AgentWelcome& welcome) const;
    /// What the process at this place runs; null: the job's program.
    [[nodiscard]] const wire::ChildFields* child_at(std::size_t index) const;
    void on_line(core::Rank rank, const std::string& line);
    void carry_out(pmi::Outbox effects);
    void fail_questions();
    void help_accepts_soon();
    /// Its MPI runs, and was not told that it ends.
    [[nodiscard]] bool is_unfinished(core::Rank rank);
    void kill_rank(core::Rank rank, const std::string& why);
    void abort_rank(core::Rank rank, int code);

    void on_mpi_runs(core::Rank rank) override;
    void on_spawned(core::Rank rank) override { accepting_.erase(rank); }
    /// Nobody waits for it in a barrier any more.
    void on_rank_leaves(core::Rank rank) override;
    void consider_end() override;
    void on_kill_due() override { kill(); }
    void signal_rank(core::Rank rank, int number) override;
    [[nodiscard]] bool all_have_come() const override;
    [[nodiscard]] bool may_be_over() const override;
    void complete(Belonging& /*whose*/) const override {}
    [[nodiscard]] bool awaits_rank() const override { return !may_be_over(); }
    [[nodiscard]] wire::RunEnded last_word() const override;

    std::vector<Process> processes_;                  // as slots_
    std::optional<pmi::HostWorld> world_;             // once its ranks are started
    std::optional<wire::BarrierReached> in_barrier_;  // said, and not answered yet
    bool left_barriers_ = false;                      // said
    /// Ranks inside of MPI_Comm_spawn, with the ports on which they accept: whom the broker is to
    /// answer, and whom it has.
    std::map<core::Rank, std::string> spawning_, accepting_;
    asio::steady_timer help_timer_;
    std::map<core::Rank, wire::NameAsked> asking_names_;
    struct Published {
        core::Rank rank;
        std::string port;
    };
    std::map<std::string, Published> published_;  // by ranks of this host, by service
};

}  // namespace ductile::agent
