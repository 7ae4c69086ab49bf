// The connection between the job's rank 0 and the newcomers' leader: who is where. Pure.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "core/layout.hpp"

namespace ductile::resize {

/// The program's leader only accepts, and only when the newcomers' leader calls MPI_Comm_connect
/// next: an accept stops the leader's whole process (decision 0001). An accept that does not return
/// is helped: a process of ours connects.
class LeadersBridge {
  public:
    /// The first group that can lead the newcomers.
    void offer_leader(core::GroupId group) {
        if (!leader_) leader_ = group;
    }
    void opened(const std::string& port) { port_ = port; }
    [[nodiscard]] const std::optional<core::GroupId>& leader() const { return leader_; }
    /// Who connects: the first rank of the leading group.
    [[nodiscard]] std::optional<core::Process> connector() const {
        return leader_ ? std::optional(core::Process{*leader_, core::Rank{0}}) : std::nullopt;
    }
    [[nodiscard]] const std::string& port() const { return port_; }

    /// Both sides are there, and nobody has told the newcomers' leader to connect yet.
    [[nodiscard]] bool can_connect() const {
        return leader_ && !port_.empty() && std::holds_alternative<Apart>(state_);
    }
    void connect_ordered() { state_ = Connecting{}; }
    /// The newcomers' leader has been told to connect, and has not said that it does.
    [[nodiscard]] bool is_connecting() const { return std::holds_alternative<Connecting>(state_); }
    void accept_begins() { state_ = Accepting{}; }
    void accept_helped() { state_ = Helped{}; }
    /// The leader is out of its accept, or will never be.
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
    using Helped = Empty<3>;  ///< still accepting
    using Over = Empty<4>;

    std::optional<core::GroupId> leader_;
    std::string port_;
    std::variant<Apart, Connecting, Accepting, Helped, Over> state_;
    bool program_joined_ = false, newcomers_joined_ = false;
};

}  // namespace ductile::resize
