// The connection between the job's rank 0 and the newcomers' leader: the state of both sides. Pure.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/layout.hpp"

namespace ductile::resize {

/// The program's leader only accepts. It accepts only when the newcomers' leader calls
/// MPI_Comm_connect next, because an accept stops its whole process
/// (docs/architecture.md). If the accept does not return, an abort connector connects and so ends
/// it.
class LeadersBridge {
  public:
    /// Offers a group that can lead the newcomers. The first offered group leads.
    void offer_leader(core::GroupId group) {
        if (!leader_) leader_ = group;
    }
    void opened(const std::string& port) { port_ = port; }
    [[nodiscard]] const std::optional<core::GroupId>& leader() const { return leader_; }
    /// The process that connects: the first rank of the leading group.
    [[nodiscard]] std::optional<core::Process> connector() const {
        return leader_ ? std::optional(core::Process{*leader_, core::Rank{0}}) : std::nullopt;
    }
    [[nodiscard]] const std::string& port() const { return port_; }

    /// Whether both sides are ready, and the newcomers' leader has not been told to connect yet.
    [[nodiscard]] bool can_connect() const {
        return leader_ && !port_.empty() && std::holds_alternative<Apart>(state_);
    }
    void connect_ordered() { state_ = Connecting{}; }
    /// Whether the newcomers' leader has been told to connect, and has not confirmed it.
    [[nodiscard]] bool is_connecting() const { return std::holds_alternative<Connecting>(state_); }
    void accept_begins() { state_ = Accepting{}; }
    void accept_helped() { state_ = Helped{}; }
    /// The leader has returned from its accept, or will never return.
    void accept_over() { state_ = Over{}; }
    [[nodiscard]] bool is_accepting() const {
        return std::holds_alternative<Accepting>(state_) || is_helped();
    }
    [[nodiscard]] bool is_helped() const { return std::holds_alternative<Helped>(state_); }

    void program_side(bool ok) { program_joined_ = ok; }
    void newcomers_side(bool ok) { newcomers_joined_ = ok; }
    [[nodiscard]] bool is_joined() const { return program_joined_ && newcomers_joined_; }

    bool operator==(const LeadersBridge&) const = default;
    template <class V>
    void fields(V& v) {
        v("leader", leader_), v("port", port_), v("state", state_);
        v("program_joined", program_joined_), v("newcomers_joined", newcomers_joined_);
    }

  private:
    template <int>
    struct Empty {
        bool operator==(const Empty&) const = default;
        template <class V>
        void fields(V&) {}
    };
    using Apart = Empty<0>;
    using Connecting = Empty<1>;  ///< the newcomers' leader has the port
    using Accepting = Empty<2>;
    using Helped = Empty<3>;  ///< an abort connector was started; still accepting
    using Over = Empty<4>;

    std::optional<core::GroupId> leader_;
    std::string port_;
    std::variant<Apart, Connecting, Accepting, Helped, Over> state_;
    bool program_joined_ = false, newcomers_joined_ = false;
};

}  // namespace ductile::resize
