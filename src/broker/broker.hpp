// The process that owns a job: it starts the job, resizes it, and ends it.
//
// One event loop, no thread of its own but those of its console. It hears agents, ranks, users and
// signals, has its parts decide - the resize that is open, the requests, the groups, the planner -
// and carries out what they say. broker.cpp holds the job's life, broker_end.cpp its end,
// broker_agents.cpp what agents and ranks say, broker_requests.cpp what users ask,
// broker_effects.cpp what groups and requests want done, broker_resize.cpp what a resize does,
// broker_resume.cpp how a job is taken over.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "broker/broker_loop.hpp"
#include "broker/job_journal.hpp"
#include "broker/job_parts.hpp"
#include "broker/job_streams.hpp"
#include "broker/rank_orders.hpp"
#include "broker/request_server.hpp"

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
    Broker(const Broker&) = delete;
    Broker& operator=(const Broker&) = delete;
    ~Broker() = default;

    /// Runs the job to its end; returns the exit code of `ductile run`. Throws InputError when the
    /// job cannot start as asked; nothing has been started then. Throws SystemError when a job
    /// cannot be taken over because its journal is behind it: nothing has been changed then, and
    /// its ranks run on.
    int run();
    /// Has run() started anything, or taken something over?
    [[nodiscard]] bool has_begun() const { return life_.has_begun(); }

  private:
    // ---- the job's life (broker.cpp, broker_end.cpp) ----
    AgentEvents agent_events();
    HostNews host_news();
    void start_job();
    void start_world(const core::Group& group);
    void begin_job();
    /// What may follow from any event.
    void settle();
    /// What no event tells.
    void watch();
    [[nodiscard]] JobParts parts() const {
        return {spec_, life_, ledger_, hosts_, history_, groups_, resize_, requests_};
    }
    /// An answer is the reason why the step could not be journaled. What has happened already is
    /// found out by a broker that takes the job over.
    std::optional<std::string> journal(const std::string& step);
    void end_job(int code, const std::string& why);
    void note_failure(int code);
    void finish_agents_at_end();
    void stop_loop();

    // ---- what agents and ranks say (broker_agents.cpp) ----
    void on_agent_up(HostIndex host);
    void on_agent_lost(HostIndex host, const std::string& why);
    void on_agent_gone(HostIndex host);
    void on_agent_message(HostIndex host, const wire::FromAgent& message);
    void on_rank_message(const core::Process& process, const wire::FromRank& message);
    void on_rank_ended(const wire::RankEnded& ended);
    void act_on(const Verdict& verdict);
    void on_program_ending();

    // ---- what the parts decide (broker_effects.cpp) ----
    void carry_out(const GroupEffects& effects);
    void carry_out(const RequestEffects& effects);
    /// A step of ResizeRequests that depends on the rest of the job.
    template <class Step, class... Arguments>
    void decide(Step step, const Arguments&... arguments) {
        RequestEffects effects;
        std::invoke(step, requests_, arguments..., request_context(parts()), effects);
        carry_out(effects);
    }
    void accept(const Accept& order);
    void call_off_and_ask_again(const std::string& why);
    void start_newcomers();

    // ---- the resize that is open (broker_resize.cpp) ----
    void open_resize(resize::ResizePlan plan);
    void carry_out(const resize::Effect& effect);
    void commit_layout(std::int64_t point);
    void finish_resize(const resize::Finished& finished);
    void finish_committed(OpenResize& done);

    // ---- what users ask (broker_requests.cpp) ----
    void on_request(const wire::Request& request, const RequestServer::Respond& respond);
    void on_await(core::TransactionId resize, const RequestServer::Respond& respond);
    void on_cancel(const RequestServer::Respond& respond);

    // ---- another broker's job (broker_resume.cpp) ----
    void resume_job();
    void refuse_takeover(const std::string& why);
    [[nodiscard]] bool hear_while_recovering(HostIndex host, const wire::FromAgent& message);
    void settle_recovery_if_complete();
    void recovery_timed_out();
    void settle_recovery();

    BrokerLoop loop_;
    const JobSpec spec_;
    JobLife life_;
    JobLedger ledger_;
    JobJournal journal_;
    JobStreams streams_;
    JobHosts hosts_;
    JobHistory history_;
    JobGroups groups_;
    ResizeSlot resize_;
    ResizeRequests requests_;
    std::unique_ptr<RequestServer> server_;
};

}  // namespace ductile::broker
