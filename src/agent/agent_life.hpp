// When an agent ends. Pure.
#pragma once

#include <variant>
#include <vector>

namespace ductile::agent {

/// What counts for it.
struct AgentView {
    bool all_ended = false;   ///< no group and no abort connector runs here
    bool had_none = false;    ///< no group has ever run here
    bool has_failed = false;  ///< a rank of the job has failed, and no broker has said what then
    bool broker_is_gone = false;
    bool knows_coordinator = false, is_coordinator = false;
    bool others_ended = false;    ///< PeerMonitor::others_ended()
    bool peers_complete = false;  ///< PeerMonitor::is_complete()
    bool output_is_finished = false;
};

enum class AgentStep {
    report_end,    ///< the coordinator hears that all has ended here in order
    await_output,  ///< all has ended, but what ranks have written is still on its way
    finish,        ///< nothing of the job is left here
};

class AgentLife {
  public:
    /// What runs here is killed, and `code` is the agent's exit code. False when it ends already.
    bool end(int code);
    /// The broker wants nothing more of this agent once all has ended here.
    void order_finish();
    /// Something has changed. `await_output` comes once.
    [[nodiscard]] std::vector<AgentStep> consider(const AgentView& view);

    [[nodiscard]] bool is_working() const {
        return std::holds_alternative<Working>(state_) || std::holds_alternative<Dismissed>(state_);
    }
    [[nodiscard]] bool is_finishing() const { return std::holds_alternative<Finishing>(state_); }
    [[nodiscard]] int code() const;

  private:
    struct Working {};
    /// It ends once all has ended here.
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
