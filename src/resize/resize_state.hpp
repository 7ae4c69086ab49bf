// The states of a resize, each with its own data. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "resize/point_agreement.hpp"
#include "resize/switch_reports.hpp"

namespace ductile::resize {

/// The sources will certainly stop at this point. From now on their votes decide.
struct Announced {
    std::int64_t point = 0;
    SwitchReports reports;
    bool operator==(const Announced&) const = default;
    template <class V>
    void fields(V& v) {
        v("point", point), v("reports", reports);
    }
};

/// The new groups start and are joined with the program's leader.
struct Starting {
    enum class Stage {
        starting,    ///< agents and processes start
        connecting,  ///< the new groups become one communicator
        bridging,    ///< the new groups are one communicator; the two leaders are not joined yet
        joining      ///< new groups and sources become one communicator, in the background
    };
    Stage stage = Stage::starting;
    std::optional<Announced> at_point;  ///< for a blocking resize: the sources wait at this point
    bool operator==(const Starting&) const = default;
    template <class V>
    void fields(V& v) {
        v("stage", stage), v("at_point", at_point);
    }
};

/// The sources agree on a point.
struct Agreeing {
    int attempt = 0;
    std::optional<PointAgreement> agreement;  ///< nullopt: the sources are not asked at the moment
    bool operator==(const Agreeing&) const = default;
    template <class V>
    void fields(V& v) {
        v("attempt", attempt), v("agreement", agreement);
    }
};

/// The program is on its way to the point.
struct Waiting {
    Announced announced;
    bool operator==(const Waiting&) const = default;
    template <class V>
    void fields(V& v) {
        v("announced", announced);
    }
};

/// Rank 0 stands at the point.
struct Switching {
    Announced announced;
    bool operator==(const Switching&) const = default;
    template <class V>
    void fields(V& v) {
        v("announced", announced);
    }
};

/// The resize was given up after the point was announced. The sources vote no at the point.
struct Abandoned {
    Announced announced;
    std::string why;
    bool at_point = false;  ///< rank 0 stands at the point
    bool operator==(const Abandoned&) const = default;
    template <class V>
    void fields(V& v) {
        v("announced", announced), v("why", why), v("at_point", at_point);
    }
};

/// The resize was given up, and everything that it started is removed.
struct Undoing {
    std::string why;
    bool operator==(const Undoing&) const = default;
    template <class V>
    void fields(V& v) {
        v("why", why);
    }
};

/// The resize is over.
struct Done {
    bool committed = false;
    bool operator==(const Done&) const = default;
    template <class V>
    void fields(V& v) {
        v("committed", committed);
    }
};

using State = std::variant<Starting, Agreeing, Waiting, Switching, Abandoned, Undoing, Done>;

/// "starting", "connecting", "bridging", "joining", "asking", "waiting", "switching", "rolling
/// back", "done".
std::string to_text(const State& state);
/// The announced point, in the states that have one; otherwise null.
Announced* announced_in(State& state);
const Announced* announced_in(const State& state);

}  // namespace ductile::resize
