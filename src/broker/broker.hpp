// The process that owns a job's resize decisions.
//
// One event loop, no thread of its own but those of Console. broker.cpp holds the job's life
// (start, end, deaths), broker_start.cpp how new groups come to be, broker_pmi.cpp what their
// ranks are served, broker_resize.cpp the
// transactions, broker_leaving.cpp who leaves, broker_requests.cpp what users ask,
// broker_resume.cpp the journal and how a job is taken over.
#pragma once

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <deque>
#include <memory>
#include <optional>

#include "broker/agent_pool.hpp"
#include "broker/console.hpp"
#include "broker/event_log.hpp"
#include "broker/group_table.hpp"
#include "broker/job_spec.hpp"
#include "broker/journal.hpp"
#include "broker/request_server.hpp"
#include "broker/resize_planner.hpp"
#include "broker/resuming.hpp"
#include "broker/transaction.hpp"
#include "broker/world_servers.hpp"
#include "plan/child_placement.hpp"

namespace ductile::broker {

/// The exit code of a job that ends for a reason that no rank gives.
inline constexpr int code_lost = 125;

/// In the job's directory; its journal's name is agent::journal_in's.
inline constexpr const char* socket_name = "broker.sock";
/// Where the broker was whose journal this is. Throws InputError.
Seat seat_in(const Journal& journal);

class Broker {
  public:
    /// `directory`: the job's, private to the user: for the socket where `ductile resize` and
    /// `ductile status` ask. `journal_path`: where the journal is or is to be. `taken_over`: that
    /// of a broker that died, whose job this one takes over.
    Broker(JobSpec spec, std::unique_ptr<rms::ResourceManager> rms, const std::string& directory,
           std::string journal_path, std::optional<Journal> taken_over = std::nullopt);
    ~Broker();
    Broker(const Broker&) = delete;
    Broker& operator=(const Broker&) = delete;

    /// Runs the job to its end; returns the exit code of `ductile run`. Throws InputError when the
    /// job cannot start as asked; nothing has been started then. Throws SystemError when a job
    /// cannot be taken over because its journal is behind it: nothing has been changed then, and
    /// its ranks run on.
    int run();
    /// Has run() started anything, or taken something over?
    [[nodiscard]] bool has_begun() const { return begun_; }

  private:
    // ---- the job's life (broker.cpp) ----
    void start_job();
    void start_groups(const std::vector<core::Group>& groups, const wire::RankWelcome& welcome,
                      bool spawned);
    [[nodiscard]] core::Group plan_start() const;
    [[nodiscard]] std::vector<wire::WorldHost> world_of(const core::Group& group) const;
    void on_agent_up(HostIndex host);
    void on_agent_message(HostIndex host, const wire::FromAgent& message);
    void on_rank_message(core::GroupId group, core::Rank rank, const wire::FromRank& message);
    void on_rank_ended(const wire::RankEnded& ended);
    void judge_end(const wire::RankEnded& ended, const std::string& who, int code);
    void on_run_ended(HostIndex host, const wire::RunEnded& ended);
    void on_part_ended(const GroupState& state, HostIndex host, const wire::RunEnded& ended);
    void tell_carrier(const wire::ProxyWanted& proxy, int code);
    void tell_carrier(const GroupState& state, HostIndex host, int code);
    void on_proxy_wanted(HostIndex host, const wire::ProxyWanted& wanted);
    void send_to_hosts_of(core::GroupId group, const wire::ToAgent& message);
    void on_agent_lost(HostIndex host, const std::string& why);
    [[nodiscard]] bool needs_host(const GroupState& state, HostIndex host) const;
    void on_agent_gone(HostIndex host);
    void begin_job();
    void end_job(int code, const std::string& why);
    void fail_job(const std::string& who, int code, int signal, const std::string& why);
    void suspect(int code, const std::string& why);
    void blame_suspect();
    void finish_if_all_ended();
    void finish_idle_agents();
    void stop_loop();
    void on_signal(int signal);
    void tick();
    void wait_for_tick();
    void check_directory();
    void note_failure(int code);
    void on_program_ending();
    void announce_deputy();
    void on_code_options(const wire::CodeOptions& options);
    void say(const std::string& text);
    void send_to(const std::vector<core::RankRange>& ranks, const wire::ToRank& message);
    void send_to(const core::Process& process, const wire::ToRank& message);
    void send_to_members(const wire::ToRank& message) { send_to(layout_.active, message); }
    void send_to_newcomers(const wire::ToRank& message);
    /// The job's rank 0.
    [[nodiscard]] core::Process leader() const { return layout_.at(core::Rank{0}); }
    /// A member that has left, by a resize that was committed.
    [[nodiscard]] bool has_left(const core::Process& process) const;
    void move_input(const core::Layout& before);
    void on_output(const wire::Output& output);
    void on_input(const std::string& data);
    void ask_for_input();
    [[nodiscard]] std::string host_name(HostIndex host) const;
    /// The allocation without hosts that were lost and have not come back.
    [[nodiscard]] core::Allocation living_hosts() const;

    // ---- new groups (broker_start.cpp) ----
    void start_newcomers();
    void begin_spawning();
    void order_spawns();
    void order_sharing();
    [[nodiscard]] wire::Readiness readiness_by(plan::Start start) const;
    [[nodiscard]] std::vector<core::Rank> starters_in(core::GroupId group) const;
    void on_expecting(HostIndex host, core::GroupId group);
    void on_spawned(core::GroupId group, core::Rank rank, const wire::Spawned& spawned);
    [[nodiscard]] std::string hosts_for_spawn(const core::Group& group) const;
    /// Spawned groups' hosts, and the further ones of a world, are called by words of ours.
    [[nodiscard]] bool by_entry() const;
    void close_spawns_of(core::GroupId group, core::Rank rank);
    void go_on_if_spawned();
    [[nodiscard]] std::string what_is_spawned() const;

    // ---- ranks that the agents start (broker_pmi.cpp) ----
    wire::ServedWorld open_world(const core::Group& group, pmi::Gate gate);
    void forget_group(core::GroupId group);
    template <class Message>
    void on_pmi(HostIndex host, const Message& message) {
        PmiOutbox effects;
        worlds_.on(host, message, effects);
        carry_out(std::move(effects));
    }
    void on_spawn_asked(HostIndex host, const wire::SpawnAsked& asked);
    /// Not by a resize, but by the program (broker_children.cpp). An answer is why not.
    [[nodiscard]] std::optional<std::string> start_children(HostIndex host,
                                                            const wire::SpawnAsked& asked);
    [[nodiscard]] std::vector<plan::ChildHost> hosts_for_children() const;
    void give_up_children(core::GroupId group);
    [[nodiscard]] std::optional<std::string> refuse_for_children(const PlannedResize& plan) const;
    void answer_spawn(core::GroupId started, bool ok);
    void fail_spawns();
    void help_spawn(core::GroupId started);
    /// All that are in accept; false when none is.
    bool help_spawns();
    void carry_out(PmiOutbox effects);

    // ---- the journal, and taking a job over (broker_resume.cpp) ----
    [[nodiscard]] Snapshot snapshot() const;
    /// Before the step is taken. What cannot be journaled is not to be done where it can still be
    /// refused or undone: an answer is the reason.
    [[nodiscard]] std::optional<std::string> journal_step(const std::string& step);
    /// For what has happened already: a broker that takes the job over finds it out by itself.
    void journal_fact(const std::string& step) { static_cast<void>(journal_step(step)); }
    void refuse_takeover(const std::string& why);
    void open_journal();
    void resume_job();
    void on_stock(HostIndex host, const wire::Stock& stock);
    void hold(std::function<void()> news);
    void settle_if_complete();
    void check_settling();
    void settle();
    void restore_open(const Snapshot& known);
    void adopt_stock(HostIndex host, const wire::Stock& stock);
    void forget_absent(const Resuming& found);
    void tell_ends(HostIndex host, const wire::Stock& stock);

    // ---- transactions (broker_resize.cpp) ----
    void advance_forming(const std::vector<MeetOrder>& orders);
    [[nodiscard]] std::optional<std::string> open_transaction(const wire::ResizeRequest& request,
                                                              const PlannedResize& plan);
    void begin();
    void on_ready(core::GroupId group, const wire::Ready& ready);
    void on_formed();
    void become_ready(core::GroupId group, const wire::Ready& ready);
    void on_newcomer_hello(const core::Process& process);
    void bridge_if_ready();
    void go_on_if_joined();
    void meet_newcomers();
    void help_accept();
    void on_bridged(core::GroupId group, core::Rank rank, const wire::Bridged& bridged);
    void ask();
    void on_answer(core::GroupId group, core::Rank rank, const wire::PointAnswer& answer);
    void on_arrived();
    void note_pace(const wire::Pace& pace);
    void on_switch_done(core::GroupId group, core::Rank rank, const wire::SwitchDone& done);
    void conclude();
    void commit_layout();
    void let_leave(const core::Change& change);
    void roll_back(const std::string& why);
    void end_newcomers();
    void await_spawns();
    void abandon(const std::string& why);
    void newcomer_lost(const std::string& why, int code);
    void give_up(const std::string& why);
    void check_deadlines();
    void on_stand_in_ended(const wire::StandInEnded& ended);
    /// Of a resize that is not given up.
    [[nodiscard]] bool is_newcomer(core::GroupId group) const;
    /// By the resize that is open, and not committed.
    [[nodiscard]] bool is_added(core::GroupId group) const;
    void record_resize(const Transaction& t, const std::string& outcome);
    void finish_undoing();
    /// This broker itself, on a host of its own.
    [[nodiscard]] bool is_on(HostIndex host) const;
    [[nodiscard]] bool is_freed(HostIndex host) const;
    void answer_freed();

    // ---- requests (broker_requests.cpp) ----
    void on_request(const wire::Request& request, const RequestServer::Respond& respond);
    void on_resize(const wire::ResizeRequest& request, const RequestServer::Respond& respond);
    std::function<void()> the_rest_of(const wire::ResizeRequest& request,
                                      const RequestServer::Respond& respond);
    void start_next_request();
    void renew_if_worn();
    [[nodiscard]] std::optional<std::string> refuse_resize(
        const wire::ResizeRequest& request) const;
    [[nodiscard]] JobView view() const;
    [[nodiscard]] nlohmann::json status() const;
    [[nodiscard]] nlohmann::json range_json(const core::RankRange& range) const;
    [[nodiscard]] nlohmann::json group_json(core::GroupId group) const;
    [[nodiscard]] nlohmann::json options() const;

    struct Pending {
        wire::ResizeRequest request;
        RequestServer::Respond respond;
    };

    /// A rank that is inside of MPI_Comm_spawn.
    struct SpawnCaller {
        HostIndex host;
        core::GroupId group;
        core::Rank rank;
        std::string port = {};  ///< on which it accepts the new ranks
        enum class State { asking, accepting, helped } state = State::asking;
    };

    /// Who waits for hosts to be free after a shrink.
    struct Freeing {
        std::set<HostIndex> hosts;
        std::string text;
        std::function<void(wire::ReplyKind, const std::string&)> reply;
        std::string kept = {};  ///< hosts that are empty, but not given back
    };

    /// When a part of a world is lost, mpiexec ends the others: what happened first is not always
    /// heard first. This ends the job unless better news comes in time.
    struct Suspect {
        std::string why;
        int code = 0;
        Clock::time_point until;
    };

    enum class State { starting, running, finishing, ending, ended, resuming };

    static constexpr int kept_resizes = 256;  ///< for `status`

    asio::io_context io_;
    JobSpec spec_;
    std::unique_ptr<rms::ResourceManager> rms_;
    std::string journal_path_;
    std::optional<Journal> journal_;
    bool begun_ = false;
    bool journal_failed_ = false;  ///< the last step could not be written
    std::string takeover_refused_;
    EventLog events_;
    Console console_;
    AgentPool agents_;
    std::unique_ptr<RequestServer> requests_;
    asio::signal_set signals_;
    asio::steady_timer ticker_;
    State state_ = State::starting;
    core::Layout layout_;
    GroupTable groups_;
    WorldServers worlds_;  ///< of all groups that the agents have started
    std::map<core::GroupId, SpawnCaller> spawn_callers_;  ///< by the group that is started
    int next_group_ = 0;
    int worlds_met_ = 0;  ///< by the members that have met most
    int next_transaction_ = 1;
    std::optional<Forming> start_forming_;
    std::optional<Transaction> transaction_;
    std::deque<Pending> pending_;
    std::vector<Freeing> freeing_;
    std::map<HostIndex, Clock::time_point> finishing_;  ///< agents that were told to end
    std::set<HostIndex> lost_hosts_;  ///< tried again only where there are no others
    SlotCounts given_back_;           ///< by `ductile resize --release HOST:RANKS`
    bool input_asked_ = false, input_open_ = true;
    std::optional<Suspect> suspect_;
    std::optional<wire::CodeOptions> code_options_;
    std::optional<Resuming> resuming_;
    std::optional<Snapshot> resumed_;  ///< what is taken over, while resuming
    std::set<HostIndex> silent_;       ///< hosts that were lost meanwhile
    std::deque<std::function<void()>> held_;
    Clock::time_point settle_before_;
    int exit_code_ = 0;
    std::string end_why_;
    std::optional<Clock::time_point> end_deadline_;
    std::optional<Clock::time_point> absent_deadline_;  ///< for agents that have not connected
    bool directory_missed_ = false;
    int signals_seen_ = 0;
    Wear wear_ = Wear::none;
    Clock::time_point quiet_since_ = Clock::now();  ///< no resize has been due
    bool renews_itself_ = true;                     ///< not again when that was refused
    Limits limits_;
    std::optional<wire::Pace> pace_;
    Clock::time_point counted_at_;  ///< when the present count was first heard
    double point_s_ = 0;            ///< between two points lately; 0: not known yet
    std::int64_t last_resize_point_ = 0;
    std::optional<Clock::time_point> last_resize_;
    nlohmann::json history_ = nlohmann::json::array();
    Clock::time_point started_ = Clock::now();
};

}  // namespace ductile::broker
