// The process that owns a job's resize decisions.
//
// One event loop, no thread of its own but those of Console. broker.cpp holds the job's life
// (start, end, deaths), broker_resize.cpp the transactions, broker_requests.cpp what users ask.
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
#include "broker/request_server.hpp"
#include "broker/transaction.hpp"

namespace ductile::broker {

class Broker {
  public:
    /// `socket_path`: where `ductile resize` and `ductile status` ask.
    Broker(JobSpec spec, std::unique_ptr<rms::ResourceManager> rms, const std::string& socket_path);
    ~Broker();
    Broker(const Broker&) = delete;
    Broker& operator=(const Broker&) = delete;

    /// Runs the job to its end; returns the exit code of `ductile run`. Throws InputError when the
    /// job cannot start as asked; nothing has been started then.
    int run();

  private:
    // ---- the job's life (broker.cpp) ----
    void start_job();
    void start_groups(const std::vector<core::Group>& groups, const wire::RankWelcome& welcome);
    [[nodiscard]] std::vector<core::Group> plan_start() const;
    [[nodiscard]] std::vector<wire::WorldHost> world_of(const core::Group& group) const;
    void on_agent_up(HostIndex host);
    void on_agent_message(HostIndex host, const wire::FromAgent& message);
    void on_rank_message(core::GroupId group, core::Rank rank, const wire::FromRank& message);
    void on_rank_ended(const wire::RankEnded& ended);
    void on_run_ended(HostIndex host, const wire::RunEnded& ended);
    void on_part_ended(const GroupState& state, HostIndex host, const wire::RunEnded& ended);
    void on_proxy_wanted(HostIndex host, const wire::ProxyWanted& wanted);
    void send_to_hosts_of(core::GroupId group, const wire::ToAgent& message);
    void on_agent_lost(HostIndex host, const std::string& why);
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
    void note_failure(int code);
    void on_program_ending();
    void announce_deputy();
    void say(const std::string& text);
    void send_to_groups(const std::vector<core::Group>& groups, const wire::ToRank& message);
    void send_to_rank(core::GroupId group, core::Rank rank, const wire::ToRank& message);
    void on_output(const wire::Output& output);
    void on_input(const std::string& data);
    void ask_for_input();
    [[nodiscard]] std::string host_name(HostIndex host) const;
    [[nodiscard]] core::Allocation room() const;

    // ---- transactions (broker_resize.cpp) ----
    void advance_forming(const std::vector<MeetOrder>& orders);
    void begin_expand(core::TransactionId id, std::vector<core::Group> added);
    void begin_shrink(core::TransactionId id, std::vector<core::GroupId> leaving);
    void on_ready(core::GroupId group, const wire::Ready& ready);
    void on_formed();
    void become_ready(core::GroupId group, const wire::Ready& ready);
    void bridge_if_ready();
    void ask_if_joined();
    void help_accept();
    void on_bridged(core::GroupId group, const wire::Bridged& bridged);
    void ask();
    void on_answer(core::GroupId group, core::Rank rank, const wire::PointAnswer& answer);
    void on_arrived();
    void on_switch_done(core::GroupId group, core::Rank rank, const wire::SwitchDone& done);
    void conclude();
    void commit_layout();
    void roll_back(const std::string& why);
    void abandon(const std::string& why);
    void newcomer_lost(const std::string& why);
    void check_deadlines();
    void on_stand_in_ended(const wire::StandInEnded& ended);
    [[nodiscard]] bool is_newcomer(core::GroupId group) const;
    void record_resize(const Transaction& t, const std::string& outcome);
    void finish_undoing();
    void answer_freed();

    // ---- requests (broker_requests.cpp) ----
    void on_request(const wire::Request& request, const RequestServer::Respond& respond);
    void on_resize(const wire::ResizeRequest& request, const RequestServer::Respond& respond);
    void start_next_request();
    [[nodiscard]] std::optional<std::string> refuse_resize(
        const wire::ResizeRequest& request) const;
    [[nodiscard]] nlohmann::json status() const;
    [[nodiscard]] nlohmann::json options() const;

    struct Pending {
        wire::ResizeRequest request;
        RequestServer::Respond respond;
    };

    /// Who waits for hosts to be free after a shrink.
    struct Freeing {
        std::set<HostIndex> hosts;
        std::string text;
        std::function<void(wire::ReplyKind, const std::string&)> reply;
    };

    /// When a part of a world is lost, mpiexec ends the others: what happened first is not always
    /// heard first. This ends the job unless better news comes in time.
    struct Suspect {
        std::string why;
        int code = 0;
        Clock::time_point until;
    };

    enum class State { starting, running, finishing, ending, ended };

    asio::io_context io_;
    JobSpec spec_;
    std::unique_ptr<rms::ResourceManager> rms_;
    EventLog events_;
    Console console_;
    AgentPool agents_;
    std::unique_ptr<RequestServer> requests_;
    asio::signal_set signals_;
    asio::steady_timer ticker_;
    State state_ = State::starting;
    core::Layout layout_;
    GroupTable groups_;
    int next_group_ = 0;
    int next_transaction_ = 1;
    std::optional<Forming> start_forming_;
    std::optional<Transaction> transaction_;
    std::deque<Pending> pending_;
    std::vector<Freeing> freeing_;
    std::map<HostIndex, Clock::time_point> finishing_;  ///< agents that were told to end
    std::optional<core::GroupId> input_group_;
    bool input_asked_ = false, input_open_ = true;
    std::optional<Suspect> suspect_;
    int exit_code_ = 0;
    std::string end_why_;
    std::optional<Clock::time_point> end_deadline_;
    int signals_seen_ = 0;
    bool worn_ = false;
    Limits limits_;
    std::optional<wire::Pace> pace_, pace_before_;
    std::int64_t last_resize_point_ = 0;
    std::optional<Clock::time_point> last_resize_;
    nlohmann::json history_ = nlohmann::json::array();
    Clock::time_point started_ = Clock::now();
};

}  // namespace ductile::broker
