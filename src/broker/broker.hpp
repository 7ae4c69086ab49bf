// The process that owns a job: it starts the job, resizes it, and ends it.
//
// One event loop, no thread of its own but those of its console. It hears agents, ranks, users and
// signals, has its parts decide - the resize that is open, the failure classifier, the planner -
// and carries out what they say. broker.cpp holds the job's life, broker_agents.cpp what agents and
// ranks say, broker_groups.cpp what groups have done, broker_resize.cpp the effects of a resize,
// broker_requests.cpp what users ask and what becomes of hosts, broker_resume.cpp how a job is
// taken over.
#pragma once

#include <asio/io_context.hpp>
#include <asio/signal_set.hpp>
#include <asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <variant>

#include "broker/failure_classifier.hpp"
#include "broker/freed_hosts.hpp"
#include "broker/job_groups.hpp"
#include "broker/job_history.hpp"
#include "broker/job_hosts.hpp"
#include "broker/job_journal.hpp"
#include "broker/job_ledger.hpp"
#include "broker/job_spec.hpp"
#include "broker/job_streams.hpp"
#include "broker/open_resize.hpp"
#include "broker/rank_orders.hpp"
#include "broker/recovery_session.hpp"
#include "broker/request_server.hpp"
#include "broker/resize_requests.hpp"

namespace ductile::broker {

/// In the job's directory; its journal's name is agent::journal_in's.
inline constexpr const char* socket_name = "broker.sock";

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
    struct Starting {};
    struct Running {};
    struct Finishing {};  ///< the program ends its Jobs: no rank will enter another resize point
    struct Recovering {};
    struct Ending {
        std::string why;
    };
    struct Ended {};
    using Life = std::variant<Starting, Running, Finishing, Recovering, Ending, Ended>;
    template <class State>
    [[nodiscard]] bool is() const {
        return std::holds_alternative<State>(life_);
    }

    AgentEvents agent_events();
    HostNews host_news();
    void start_job();
    void start_world(const core::Group& group);
    void begin_job();
    void end_job(int code, const std::string& why);
    void note_failure(int code);
    void stop_loop();
    /// Something has happened: settle() is due, once for all that happens in a turn of the loop.
    void changed();
    /// What may follow from any event.
    void settle();
    void finish_agents_at_end();
    void finish_idle_agents();
    void answer_freed();
    void on_signal(int signal);
    void watch();
    void check_directory();
    void announce_coordinator();
    void arm(std::optional<asio::steady_timer>& timer, std::chrono::milliseconds after,
             std::function<void()> what);
    [[nodiscard]] std::optional<std::string> journal_step(const std::string& step);
    /// For what has happened already: a broker that takes the job over finds it out by itself.
    void journal_fact(const std::string& step) { static_cast<void>(journal_step(step)); }
    [[nodiscard]] Snapshot snapshot() const;

    // ---- what agents and ranks say (broker_agents.cpp) ----
    void on_agent_up(HostIndex host);
    void on_agent_lost(HostIndex host, const std::string& why);
    void on_agent_gone(HostIndex host);
    void on_agent_message(HostIndex host, const wire::FromAgent& message);
    void on_rank_message(const core::Process& process, const wire::FromRank& message);
    void on_rank_ended(const wire::RankEnded& ended);
    void on_part_ended(HostIndex host, const wire::RunEnded& ended);
    void act_on(const Verdict& verdict);
    void on_program_ending();
    void on_code_options(const wire::CodeOptions& options);
    void send_to(const std::vector<core::RankRange>& ranks, const wire::ToRank& message);

    // ---- groups (broker_groups.cpp) ----
    [[nodiscard]] HostsNow hosts_now() const;
    [[nodiscard]] GroupContext group_context() const;
    void carry_out(const GroupEffects& effects);
    void start_newcomers();

    // ---- the resize that is open (broker_resize.cpp) ----
    void open_resize(resize::ResizePlan plan);
    void tell(resize::Event event);
    void carry_out(const resize::Effect& effect);
    void commit_layout(std::int64_t point);
    void finish_resize(const resize::Finished& finished);
    void finish_committed(OpenResize& done);
    [[nodiscard]] bool is_newcomer(core::GroupId group) const {
        return open_ && open_->operation.is_newcomer(group);
    }
    /// A resize of a job that runs.
    [[nodiscard]] bool is_resizing() const {
        return open_ && !open_->operation.plan().starts_job();
    }

    // ---- what users ask, and what becomes of hosts (broker_requests.cpp) ----
    void on_request(const wire::Request& request, const RequestServer::Respond& respond);
    void on_resize(const NextStep& asked);
    void on_await(core::TransactionId resize, const RequestServer::Respond& respond);
    void on_cancel(const RequestServer::Respond& respond);
    void drop_requests(wire::ReplyKind kind, const std::string& text);
    void start_next_request();
    void renew_if_degraded();
    void leave_revoked_hosts();
    void give_back_idle_hosts();
    void ask_for_hosts(const AskForHosts& order);
    void accept(const Accept& order);
    void call_off_and_ask_again(const std::string& why);
    void carry_out(const RequestEffects& effects);
    [[nodiscard]] RequestContext request_context() const;
    [[nodiscard]] JobView view() const;
    [[nodiscard]] std::string status() const;

    // ---- another broker's job (broker_resume.cpp) ----
    void resume_job();
    void refuse_takeover(const std::string& why);
    [[nodiscard]] bool hear_while_recovering(HostIndex host, const wire::FromAgent& message);
    void settle_recovery_if_complete();
    void settle_recovery();
    void recovery_timed_out();

    asio::io_context io_;
    JobSpec spec_;
    Life life_ = Starting{};
    JobLedger ledger_;
    JobJournal journal_;
    JobStreams streams_;
    JobHosts hosts_;
    JobHistory history_;
    JobGroups groups_;
    std::optional<OpenResize> open_;
    ResizeRequests requests_;
    FreedHosts freed_;
    FailureClassifier failures_;
    std::optional<RecoverySession> recovery_;
    std::unique_ptr<RequestServer> server_;
    asio::signal_set signals_;
    asio::steady_timer watch_timer_;
    std::optional<asio::steady_timer> suspicion_timer_, end_timer_, absent_timer_, recovery_timer_;
    std::string takeover_refused_;
    int exit_code_ = 0;
    int signals_seen_ = 0;
    bool begun_ = false;
    bool settling_ = false;  ///< settle() is on its way
    bool telling_ = false;   ///< a resize hears an event at this moment
    bool directory_missed_ = false;
};

}  // namespace ductile::broker
