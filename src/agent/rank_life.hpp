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
};

namespace rank_event {
/// Its process is there.
struct Started {};
struct Hello {};
struct Goodbye {};
struct Parked {
    bool on = true;
};
/// It was told to start a group by MPI_Comm_spawn.
struct SpawnOrdered {
    core::GroupId group;
};
struct SpawnReturned {
    core::GroupId group;
};
/// The files that it holds are known.
struct FilesNoted {};
/// It was told to leave or to end. At `kill_at`, if given, its time is over.
struct Dismissed {
    std::optional<Time> kill_at;
};
/// Its time was over, and it was killed.
struct TimeWasOver {};
struct Ended {
    RankEnd end;
};
using Any = std::variant<Started, Hello, Goodbye, Parked, SpawnOrdered, SpawnReturned, FilesNoted,
                         Dismissed, TimeWasOver, Ended>;
}  // namespace rank_event

class RankLife {
  public:
    /// Nobody has started it yet.
    struct Expected {};
    struct Running {
        bool parked = false;
        bool files_noted = false;
        std::set<core::GroupId> spawns;  ///< that it was told to start, until it has
    };
    struct Ended {
        RankEnd end;
        bool failed = false;  ///< otherwise than a rank should
    };

    void on(const rank_event::Any& event);

    [[nodiscard]] bool is_expected() const { return std::holds_alternative<Expected>(state_); }
    [[nodiscard]] bool is_running() const { return std::holds_alternative<Running>(state_); }
    [[nodiscard]] bool has_ended() const { return std::holds_alternative<Ended>(state_); }
    /// Null unless it has ended.
    [[nodiscard]] const RankEnd* end() const;
    [[nodiscard]] bool has_said_hello() const { return contact_ != Contact::none; }
    [[nodiscard]] bool has_said_goodbye() const { return contact_ == Contact::goodbye; }
    [[nodiscard]] bool is_dismissed() const { return dismissal_.has_value(); }
    /// It has ended otherwise than a rank should, and was not dismissed.
    [[nodiscard]] bool has_failed() const;
    [[nodiscard]] bool is_parked() const;
    /// Not parked, and neither it nor its Job has ended.
    [[nodiscard]] bool is_active() const;
    [[nodiscard]] bool spawns() const;
    /// Its files are known, or it holds none any more.
    [[nodiscard]] bool files_are_known() const;
    /// When a dismissed rank that has not ended is to be killed.
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
