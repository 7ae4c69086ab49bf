// Decides when an agent ends. Pure.
#pragma once

#include <variant>
#include <vector>

namespace ductile::agent {

/// The facts for this decision.
struct AgentView {
    bool all_ended = false;  ///< no group and no abort connector runs here
    bool had_none = false;   ///< no group has ever run here
    bool has_failed =
        false;  ///< a rank of the job has failed, and no broker has decided what to do
    bool broker_is_gone = false;
    bool knows_coordinator = false, is_coordinator = false;
    bool others_ended = false;    ///< PeerMonitor::others_ended()
    bool peers_complete = false;  ///< PeerMonitor::is_complete()
    bool output_is_finished = false;
};

enum class AgentStep {
    report_end,    ///< tell the coordinator that everything has ended here normally
    await_output,  ///< everything has ended, but output of the ranks is not sent yet
    finish,        ///< the job is over here, and all output is sent: end this agent
};

class AgentLife {
  public:
    /// The agent kills everything that runs here, and then exits with `code`. Returns false if the
    /// agent is ending already.
    bool end(int code);
    /// The broker has dismissed this agent: the agent ends as soon as everything has ended here.
    void order_finish();
    /// Something has changed. Returns the next steps. Over the life of an agent, `await_output` and
    /// `finish` are returned at most once.
    [[nodiscard]] std::vector<AgentStep> consider(const AgentView& view);

    [[nodiscard]] bool is_working() const {
        return std::holds_alternative<Working>(state_) || std::holds_alternative<Dismissed>(state_);
    }
    [[nodiscard]] bool is_finishing() const { return std::holds_alternative<Finishing>(state_); }
    [[nodiscard]] int code() const;

  private:
    struct Working {};
    /// The agent ends when everything has ended here.
    struct Dismissed {};
    struct Ending {
        int code = 0;
    };
    struct Finishing {
        int code = 0;
    };
    std::variant<Working, Dismissed, Ending, Finishing> state_;
    bool awaits_output_ = false;
};

}  // namespace ductile::agent
