// A group whose ranks the agent starts itself. The agent serves PMI-1 to their MPI programs.
#pragma once

#include <optional>

#include "agent/group_pmi.hpp"
#include "agent/group_run.hpp"
#include "agent/lone_program.hpp"
#include "agent/pmi_port.hpp"

namespace ductile::agent {

class ServedGroup : public GroupRun {
  public:
    /// Precondition: `what.manager` is a ServedWorld.
    ServedGroup(const AgentContext& context, wire::StartRun what);
    ~ServedGroup() override;
    ServedGroup(const ServedGroup&) = delete;
    ServedGroup& operator=(const ServedGroup&) = delete;

    /// Starts the ranks. If another group spawns them, waits for StartRanks.
    void start(const wire::AgentWelcome& welcome) override;
    /// Starts spawned ranks: their parent is inside MPI_Comm_spawn. Throws InputError if the group
    /// does not await this.
    void start_ranks(const wire::AgentWelcome& welcome, const wire::StartRanks& order);

    [[nodiscard]] GroupPmi& pmi() { return pmi_; }
    void set_brokerless(bool on) override;
    void tell_again() override;
    [[nodiscard]] std::set<pid_t> children() const override;
    bool child_reaped(pid_t pid, int status) override;

  private:
    /// A rank's process; pid 0 before it is started and after it is reaped.
    struct Process {
        pid_t pid = 0;
        int pmi_id = 0;                  ///< by which its MPI programs name it
        std::shared_ptr<PmiSocket> pmi;  ///< of its MPI program; null before it has connected
        pid_t program = 0;  ///< the process of this program: `pid`, or one of a shell script. 0: it
                            ///< is not known
        bool after_job = false;         ///< its MPI program runs after one with a Job
        bool has_left = false;          ///< it was to leave, and went on with another MPI program
        std::string blame;              ///< why the agent killed it
        std::optional<int> abort_code;  ///< the exit code, if the rank called MPI_Abort
    };
    [[nodiscard]] Process& process(core::Rank rank) { return ranks_.at(place_of(rank, "process")); }
    void start_all(const wire::AgentWelcome& welcome, pmi::Keys keys, pmi::Gate gate);
    void start_one(const wire::AgentWelcome& welcome, core::Rank rank);
    [[nodiscard]] std::vector<std::string> environment_of(core::Rank rank,
                                                          const wire::AgentWelcome& welcome) const;
    /// The program of the process at this place; null: the job's program.
    [[nodiscard]] const wire::ChildFields* child_at(Place place) const;
    [[nodiscard]] RankEnd end_of(Place place, int status);
    /// Whether the rank has initialised MPI and not finalised it, although nobody has told it to
    /// end. False for a rank with a Job.
    [[nodiscard]] bool is_unfinished(Place place) const;
    /// An MPI program in the rank has connected: the rank's own, its next one, or one that the
    /// rank's own has started.
    void on_program(core::Rank rank, const PmiProgram& program);
    void take_program(core::Rank rank, std::shared_ptr<PmiSocket> program, pid_t process);
    void program_has_closed(core::Rank rank);
    void end_leaver(Place place);
    void leave_alone(core::Rank rank, const PmiProgram& program, pid_t process);
    [[nodiscard]] bool has_finalised(Place place) const;
    [[nodiscard]] bool speaks(Place place) const;
    /// Whether the rank's program has ended without MPI_Finalize and without a Job.
    [[nodiscard]] bool has_died(Place place) const;
    void on_lines(core::Rank rank, const std::vector<std::string>& lines);
    void close_program(Process& of);
    void kill_rank(core::Rank rank, const std::string& why);
    void abort_rank(core::Rank rank, int code);

    void on_rank_message(Place place, const wire::FromRank& message) override;
    void rank_leaves(Place place) override;
    [[nodiscard]] bool is_own_program(Place place, pid_t process) const override;
    void signal_rank(Place place, int number) override;
    [[nodiscard]] wire::RunEnded last_word(GroupCause cause) const override;

    std::vector<Process> ranks_;
    GroupPmi pmi_;
    bool connects_;  // the MPI of the ranks finds the agent's port; otherwise they inherit sockets
    std::set<std::shared_ptr<LoneProgram>> lone_;
    std::set<std::string> said_;  // of them
};

}  // namespace ductile::agent
