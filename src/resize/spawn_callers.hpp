// The ranks that are inside MPI_Comm_spawn for groups of a resize. Pure.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "resize/effect.hpp"

namespace ductile::resize {

/// A call of MPI_Comm_spawn is answered when all new ranks wait at their gate, or with an error.
/// After a good answer the caller accepts the new ranks. The accept takes milliseconds, and the
/// caller holds MPI's lock during the accept. If the new ranks are lost in this time, an abort
/// connector connects in their place.
class SpawnCallers {
  public:
    void ask(const SpawnAsked& asked);
    /// Whether a rank is inside the call for this group, or was.
    [[nodiscard]] bool contains(core::GroupId starts) const { return callers_.contains(starts); }
    /// An error after an earlier answer means that the new ranks are lost.
    void answer(core::GroupId starts, bool ok, Effects& out);
    void fail_all(Effects& out);
    /// The new ranks are lost, or perhaps lost. If the caller accepts them: ends what is left of
    /// them, and starts an abort connector.
    void help(core::GroupId starts, Effects& out);
    /// Helps all callers that accept. Returns false if none does.
    bool help_all(Effects& out);
    void returned(core::GroupId starts) {
        if (const auto it = callers_.find(starts); it != callers_.end()) it->second.state = Out{};
    }
    /// A process that merges with its new ranks has returned from its calls, even if no
    /// SpawnReturned has arrived.
    void merged(const core::Process& process) {
        for (auto& [starts, caller] : callers_)
            if (caller.process == process && !std::holds_alternative<Asking>(caller.state))
                caller.state = Out{};
    }

    [[nodiscard]] bool any_accepting() const { return any<Accepting>(); }
    [[nodiscard]] bool any_helped() const { return any<Helped>(); }

    bool operator==(const SpawnCallers&) const = default;
    template <class V>
    void fields(V& v) {
        v("callers", callers_);
    }

  private:
    struct Asking {
        bool operator==(const Asking&) const = default;
        template <class V>
        void fields(V&) {}
    };
    struct Accepting {
        bool operator==(const Accepting&) const = default;
        template <class V>
        void fields(V&) {}
    };
    struct Helped {
        bool operator==(const Helped&) const = default;
        template <class V>
        void fields(V&) {}
    };
    /// The call has returned, or was answered with an error. No rank asks for this group again.
    struct Out {
        bool operator==(const Out&) const = default;
        template <class V>
        void fields(V&) {}
    };
    struct Caller {
        core::HostIndex host;
        core::Process process;
        std::string port;
        std::variant<Asking, Accepting, Helped, Out> state;
        bool operator==(const Caller&) const = default;
        template <class V>
        void fields(V& v) {
            v("host", host), v("process", process), v("port", port), v("state", state);
        }
    };
    template <class State>
    [[nodiscard]] bool any() const {
        for (const auto& [starts, caller] : callers_)
            if (std::holds_alternative<State>(caller.state)) return true;
        return false;
    }

    std::map<core::GroupId, Caller> callers_;  ///< by the group that the caller starts
};

}  // namespace ductile::resize
