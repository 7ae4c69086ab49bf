// A job's life, from its start to its end, and the code with which it ends. Pure.
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
struct Finishing {};  ///< the program ends its Jobs: no rank will enter another resize point
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
    /// Nothing of the job goes on any more, but its end.
    [[nodiscard]] bool is_over() const { return is<life::Ending>() || is<life::Ended>(); }
    /// For people: "starting", "running", ...
    [[nodiscard]] const char* name() const;
    [[nodiscard]] Stage stage() const;
    /// Why the job is ending; empty: it is not.
    [[nodiscard]] std::string why() const;
    [[nodiscard]] int exit_code() const { return exit_code_; }

    /// Something of the job has been started, or taken over.
    void begin() { has_begun_ = true; }
    [[nodiscard]] bool has_begun() const { return has_begun_; }
    void run() { state_ = life::Running{}; }
    /// True when it ran.
    bool finish();
    /// The first code counts. False when there is one, or this is none.
    bool fail(int code);
    /// False when the job is over already. Nobody is suspected any more.
    bool end(std::string why);
    void stop() { state_ = life::Ended{}; }

    // ---- another broker's job ----

    void recover(const Snapshot& known);
    /// Null when no job is being taken over.
    [[nodiscard]] const RecoverySession* recovery() const;
    [[nodiscard]] RecoverySession* recovery();
    /// The job goes on as the session says, which is at its end. Precondition: there is one.
    [[nodiscard]] RecoverySession settle();
    /// The job cannot be taken over. False when that was said before.
    bool refuse(std::string why);
    /// Empty: it can.
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
