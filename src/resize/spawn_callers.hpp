// Ranks that are inside MPI_Comm_spawn for groups of a resize. Pure.
#pragma once

#include <map>
#include <string>
#include <variant>

#include "resize/effect.hpp"

namespace ductile::resize {

/// MPI_Comm_spawn is answered when all new ranks wait at their gate, or with an error. After a good
/// answer the caller accepts the new ranks, with MPI's lock, for milliseconds: if they are lost in
/// that time, a process of ours connects in their place.
class SpawnCallers {
  public:
    void ask(const SpawnAsked& asked);
    /// Somebody is inside for this group, or was.
    [[nodiscard]] bool contains(core::GroupId starts) const { return callers_.contains(starts); }
    /// An error where it was answered already means that the new ranks are lost.
    void answer(core::GroupId starts, bool ok, Effects& out);
    void fail_all(Effects& out);
    /// The new ranks are lost, or may be.
    void help(core::GroupId starts, Effects& out);
    /// All that accept; false when none does.
    bool help_all(Effects& out);
    void returned(core::GroupId starts) {
        if (const auto it = callers_.find(starts); it != callers_.end()) it->second.state = Out{};
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
    /// It has returned, or been answered with an error. Nobody asks for this group again.
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

    std::map<core::GroupId, Caller> callers_;  ///< by the group that is started
};

}  // namespace ductile::resize
