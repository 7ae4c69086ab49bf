// The process that owns a job: it starts the job, resizes it, and ends it.
//
// The broker runs one event loop. Only its console has threads. The broker receives events from
// agents, ranks, users and signals. Its parts (the open resize, the requests, the groups, the
// planner) decide, and the broker carries out their decisions. broker.cpp holds the life of the
// job, broker_end.cpp its end, broker_agents.cpp the messages of agents and ranks,
// broker_requests.cpp the requests of users, broker_effects.cpp the effects of groups and requests,
// broker_resize.cpp the effects of a resize, and broker_resume.cpp the takeover of a job.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "broker/broker_loop.hpp"
#include "broker/job_journal.hpp"
#include "broker/job_parts.hpp"
#include "broker/job_streams.hpp"
#include "broker/power_program.hpp"
#include "broker/rank_orders.hpp"
#include "broker/request_server.hpp"
#include "broker/suspension.hpp"

namespace ductile::broker {

/// The broker's socket, a file in the job's directory. The journal is in this directory, too:
/// agent::journal_in().
inline constexpr const char* socket_name = "broker.sock";

class Broker {
  public:
    /// `directory`: the directory of the job, private to the user. It holds the socket for
    /// `ductile resize` and `ductile status`. `journal_path`: the path of the journal, which may
    /// not exist yet. `taken_over`: the journal of the broker that died, in a takeover.
    Broker(JobSpec spec, std::unique_ptr<rms::ResourceManager> rms, const std::string& directory,
           std::string journal_path, std::optional<Journal> taken_over = std::nullopt);
    Broker(const Broker&) = delete;
    Broker& operator=(const Broker&) = delete;
    ~Broker() = default;

    /// Runs the job to its end, and returns the exit code of `ductile run`. Throws InputError if
    /// the job cannot start as requested. Throws SystemError if the job cannot make its journal, or
    /// cannot write to it before it starts ranks on hosts that it has from the beginning. In these
    /// cases no process was started. Also throws SystemError if the job cannot be taken over
    /// because its journal is older than the state of the job; then nothing was changed, and the
    /// ranks continue.
    int run();
    /// Whether run() has started the job (its processes, or a request for its first hosts), or has
    /// taken the job over.
    [[nodiscard]] bool has_begun() const { return life_.has_begun(); }

  private:
    // ---- the job's life (broker.cpp, broker_end.cpp) ----
    AgentEvents agent_events();
    HostCallbacks host_callbacks();
    PowerProgram::Events power_events();
    void start_job();
    void start_world(const core::Group& group);
    void begin_job();
    /// Carries out what may follow from any event.
    void settle();
    /// Checks regularly what no event reports.
    void watch();
    [[nodiscard]] JobParts parts() const {
        return {spec_, life_, ledger_, hosts_, history_, groups_, resize_, requests_, policy_};
    }
    /// Writes the step to the journal. If this fails, returns the reason. After a step that has
    /// happened already, callers ignore the reason: a broker that takes the job over finds out
    /// itself what has happened. Writes nothing before a takeover is settled.
    std::optional<std::string> journal(const std::string& step);
    void end_job(int code, const std::string& why);
    void note_failure(int code);
    void finish_agents_at_end();
    void stop_loop();

    // ---- messages of agents and ranks (broker_agents.cpp) ----
    void on_agent_up(HostIndex host);
    void on_agent_lost(HostIndex host, const std::string& why);
    void on_agent_gone(HostIndex host);
    void on_agent_message(HostIndex host, const wire::FromAgent& message);
    void on_rank_message(const core::Process& process, const wire::FromRank& message);
    void on_rank_ended(const wire::RankEnded& ended);
    void act_on(const Verdict& verdict);
    void on_program_ending();

    // ---- effects of the parts (broker_effects.cpp) ----
    void carry_out(const GroupEffects& effects);
    void carry_out(const RequestEffects& effects);
    /// Calls a function of ResizeRequests with the state of the job, and carries out its effects.
    template <class Step, class... Arguments>
    void decide(Step step, const Arguments&... arguments) {
        RequestEffects effects;
        std::invoke(step, requests_, arguments..., request_context(parts()), effects);
        carry_out(effects);
    }
    void accept(const Accept& order);
    void call_off_and_ask_again(const std::string& why);
    void start_newcomers();

    // ---- the open resize (broker_resize.cpp) ----
    void open_resize(resize::ResizePlan plan);
    void carry_out(const resize::Effect& effect);
    void commit_layout(std::int64_t point);
    void finish_resize(const resize::Finished& finished);
    void finish_committed(OpenResize& done);

    // ---- requests of users (broker_requests.cpp) ----
    void on_request(const wire::Request& request, const Asker& asker);
    void on_await(core::TransactionId resize, const Asker& asker);
    void on_cancel(const Asker& asker);
    /// Asks the policy of the job regularly.
    void ask_policy();
    void ask_policy_later();
    /// Tells the program that reports the power of hosts which hosts those are.
    void watch_power();
    void suspend_policy(const std::string& why);
    /// `ranks`: the size of the job when the policy was asked.
    void on_policy_answer(int ranks, const PolicyAnswer& answer);
    void answer(const Askers& askers, const Reply& reply, bool last = true);

    // ---- the job of a broker that died (broker_resume.cpp) ----
    void resume_job();
    void refuse_takeover(const std::string& why);
    [[nodiscard]] bool hear_while_recovering(HostIndex host, const wire::FromAgent& message);
    void recovery_timed_out();
    void settle_recovery();

    BrokerLoop loop_;
    const JobSpec spec_;
    JobLife life_;
    JobLedger ledger_;
    JobJournal journal_;
    JobStreams streams_;
    JobHosts hosts_;
    Suspension suspension_;
    JobHistory history_;
    JobGroups groups_;
    ResizeSlot resize_;
    ResizeRequests requests_;
    JobPolicy policy_;
    std::unique_ptr<PowerProgram> power_;  ///< null: there is none
    std::unique_ptr<RequestServer> server_;
};

}  // namespace ductile::broker
