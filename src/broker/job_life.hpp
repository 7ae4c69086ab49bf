// The life of a job, from its start to its end, and its exit code. Pure.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>

#include "broker/failure_classifier.hpp"
#include "broker/recovery_session.hpp"

namespace ductile::broker {

namespace life {
struct Starting {};
struct Running {};
struct Finishing {};  ///< a rank has ended its Job: no rank will enter another resize point
/// This broker takes the job over.
struct Recovering {
    RecoverySession session;
};
struct Ending {
    std::string why;
};
struct Ended {};
using State = std::variant<Starting, Running, Finishing, Recovering, Ending, Ended>;
}  // namespace life

class JobLife {
  public:
    template <class State>
    [[nodiscard]] bool is() const {
        return std::holds_alternative<State>(state_);
    }
    /// The job is ending or has ended.
    [[nodiscard]] bool is_over() const { return is<life::Ending>() || is<life::Ended>(); }
    /// For people: "starting", "running", ...
    [[nodiscard]] const char* name() const;
    [[nodiscard]] Stage stage() const;
    /// Why the job is ending; empty if the job is not ending.
    [[nodiscard]] std::string why() const;
    [[nodiscard]] int exit_code() const { return exit_code_; }

    /// The job has been started (its processes, or a request for its first hosts), or is taken
    /// over.
    void begin() { has_begun_ = true; }
    [[nodiscard]] bool has_begun() const { return has_begun_; }
    void run() { state_ = life::Running{}; }
    /// Returns whether the job was running. If it was not, nothing changes.
    bool finish();
    /// Sets the exit code. Returns false, and changes nothing, if it is set already or `code` is 0.
    bool fail(int code);
    /// The job is ending: also drops a suspected failure. Returns false, and changes nothing, if
    /// the job is over already.
    bool end(std::string why);
    void stop() { state_ = life::Ended{}; }

    // ---- the job of a broker that died ----

    void recover(const Snapshot& known);
    /// The recovery in progress; null if there is none.
    [[nodiscard]] const RecoverySession* recovery() const;
    [[nodiscard]] RecoverySession* recovery();
    /// Ends the recovery and resumes the stage of its session. Precondition: recovery() != nullptr.
    [[nodiscard]] RecoverySession settle();
    /// The job cannot be taken over. Returns false if the takeover was refused before.
    bool refuse(std::string why);
    /// Why the job cannot be taken over; empty if it can.
    [[nodiscard]] const std::string& refused() const { return refused_; }

    // ---- who is to blame ----

    [[nodiscard]] FailureClassifier& failures() { return failures_; }

  private:
    life::State state_;
    FailureClassifier failures_;
    std::string refused_;
    int exit_code_ = 0;
    bool has_begun_ = false;
};

}  // namespace ductile::broker
