// Where a resize stands: one of these, each with its own data. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "resize/point_agreement.hpp"
#include "resize/switch_reports.hpp"

namespace ductile::resize {

/// The sources stop at this point, for certain: from now on their votes decide.
struct Announced {
    std::int64_t point = 0;
    SwitchReports reports;
    bool operator==(const Announced&) const = default;
    template <class V>
    void fields(V& v) {
        v("point", point), v("reports", reports);
    }
};

/// The new groups come up and are joined with the program's leader.
struct Starting {
    enum class Stage {
        starting,    ///< agents and processes come up
        connecting,  ///< the new groups become one communicator
        bridging,    ///< they are one; the two leaders are not joined yet
        joining      ///< they and the sources become one communicator, in the background
    };
    Stage stage = Stage::starting;
    std::optional<Announced> at_point;  ///< of a blocking resize: the sources wait there
    bool operator==(const Starting&) const = default;
    template <class V>
    void fields(V& v) {
        v("stage", stage), v("at_point", at_point);
    }
};

/// The sources agree on a point.
struct Agreeing {
    int attempt = 0;
    std::optional<PointAgreement> agreement;  ///< none: they are left alone for a while
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

/// Given up after the point was announced: the sources vote no there.
struct Abandoned {
    Announced announced;
    std::string why;
    bool at_point = false;  ///< rank 0 stands there
    bool operator==(const Abandoned&) const = default;
    template <class V>
    void fields(V& v) {
        v("announced", announced), v("why", why), v("at_point", at_point);
    }
};

/// Given up: nothing of it is to be left.
struct Undoing {
    std::string why;
    bool operator==(const Undoing&) const = default;
    template <class V>
    void fields(V& v) {
        v("why", why);
    }
};

/// Over.
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
/// back".
std::string to_text(const State& state);
/// Of the states in which the point is announced; else null.
Announced* announced_in(State& state);
const Announced* announced_in(const State& state);

}  // namespace ductile::resize
