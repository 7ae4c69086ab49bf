// The life of one rank on its host. Pure: times come in as arguments.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <variant>

#include "agent/heartbeat.hpp"
#include "core/ids.hpp"

namespace ductile::agent {

/// How a rank's process has ended.
struct RankEnd {
    int code = 0;    ///< exit code, or 128 + signal
    int signal = 0;  ///< 0: none
    std::string why;
    /// It ran a further MPI program after its Job: the goodbye of the Job does not excuse it.
    bool after_job = false;
};

namespace rank_event {
/// The rank's process has been started.
struct Started {};
struct Hello {};
struct Goodbye {};
struct Parked {
    bool on = true;
};
/// The rank was told to start a group by MPI_Comm_spawn.
struct SpawnOrdered {
    core::GroupId group;
};
struct SpawnReturned {
    core::GroupId group;
};
/// The agent knows which files the rank holds.
struct FilesNoted {};
/// The rank was told to leave or to end. At `kill_at`, if given, the agent kills it.
struct Dismissed {
    std::optional<Time> kill_at;
};
/// The time `kill_at` has come: the agent kills the rank.
struct TimeWasOver {};
struct Ended {
    RankEnd end;
};
using Any = std::variant<Started, Hello, Goodbye, Parked, SpawnOrdered, SpawnReturned, FilesNoted,
                         Dismissed, TimeWasOver, Ended>;
}  // namespace rank_event

class RankLife {
  public:
    /// The process has not been started yet.
    struct Expected {};
    struct Running {
        bool parked = false;
        bool files_noted = false;
        std::set<core::GroupId> spawns;  ///< MPI_Comm_spawn calls that have not returned
    };
    struct Ended {
        RankEnd end;
        bool failed = false;  ///< it ended before its Job, or had no Job and its code is not 0
    };

    void on(const rank_event::Any& event);

    [[nodiscard]] bool is_expected() const { return std::holds_alternative<Expected>(state_); }
    [[nodiscard]] bool is_running() const { return std::holds_alternative<Running>(state_); }
    [[nodiscard]] bool has_ended() const { return std::holds_alternative<Ended>(state_); }
    /// Null if the rank has not ended.
    [[nodiscard]] const RankEnd* end() const;
    [[nodiscard]] bool has_sent_hello() const { return contact_ != Contact::none; }
    [[nodiscard]] bool has_sent_goodbye() const { return contact_ == Contact::goodbye; }
    [[nodiscard]] bool is_dismissed() const { return dismissal_.has_value(); }
    /// Ended::failed is true, and the rank was dismissed neither before its end nor afterwards.
    [[nodiscard]] bool has_failed() const;
    [[nodiscard]] bool is_parked() const;
    /// The rank is not parked, and neither the rank nor its Job has ended. Also true before the
    /// rank is started.
    [[nodiscard]] bool is_active() const;
    [[nodiscard]] bool spawns() const;
    /// The agent knows the rank's files, or the rank has ended and holds none.
    [[nodiscard]] bool files_are_known() const;
    /// When the agent kills this rank, if it was dismissed and does not end. None after
    /// TimeWasOver.
    [[nodiscard]] std::optional<Time> kill_at() const;

  private:
    enum class Contact { none, hello, goodbye };
    struct Dismissal {
        std::optional<Time> kill_at;
    };

    std::variant<Expected, Running, Ended> state_;
    Contact contact_ = Contact::none;
    std::optional<Dismissal> dismissal_;
};

}  // namespace ductile::agent
