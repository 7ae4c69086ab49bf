// Decides which groups connect next while new groups become one communicator. Pure: events in,
// orders out.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "plan/connect_rounds.hpp"
#include "plan/methods.hpp"

namespace ductile::resize {

/// All ranks of these groups must now accept on this port (the acceptor's set of groups) or connect
/// to it (the connector's set).
struct ConnectRoundOrder {
    int round = 0;
    std::string port;
    std::vector<core::GroupId> groups;
    bool operator==(const ConnectRoundOrder&) const = default;
};

/// Follows the connection rounds of the groups that were started together. In each round a set of
/// connected groups connects with another set, but only when both are ready. So no process waits
/// inside MPI for a set that is not ready.
class GroupConnector {
  public:
    GroupConnector() = default;  ///< filled by fields()
    /// With Readiness::tree the groups learn about each other by themselves. Then this class orders
    /// no connection.
    explicit GroupConnector(std::vector<core::Group> added,
                            plan::Readiness readiness = plan::Readiness::broker);

    /// A rank of this group is busy. The group connects to no other group until release() has been
    /// called as often as hold().
    void hold(core::GroupId group);
    std::vector<ConnectRoundOrder> release(core::GroupId group);
    [[nodiscard]] bool knows(core::GroupId group) const;
    [[nodiscard]] bool has_one_group() const { return added_.size() == 1; }
    /// How many ranks the group will have; 0 if it is not one of the new groups.
    [[nodiscard]] int ranks_of(core::GroupId group) const;

    /// A rank has said hello. A group connects to no other group before all its ranks have said
    /// hello and its leader is ready. Throws InputError if the group has no such rank.
    std::vector<ConnectRoundOrder> hello(const core::Process& rank);
    /// The leader of the group is ready. Throws InputError if the number of ranks or the ports are
    /// not those of the plan.
    std::vector<ConnectRoundOrder> ready(core::GroupId group, int ranks,
                                         const std::vector<int>& rounds,
                                         const std::vector<std::string>& ports);
    /// The first rank of the set that `leading` leads reports that the set has accepted in this
    /// round. Throws InputError if this set was not told to accept.
    std::vector<ConnectRoundOrder> round_done(core::GroupId leading, int round);
    /// Rank 0 of all new groups reports that their ranks are in order.
    void formed() { formed_ = true; }

    [[nodiscard]] bool all_ready() const;
    [[nodiscard]] bool is_formed() const { return formed_; }
    /// The first rank of this group becomes rank 0 of all new groups.
    [[nodiscard]] core::GroupId leader() const { return added_.front().id; }
    /// Groups that are not ready yet, for messages.
    [[nodiscard]] std::vector<core::GroupId> not_ready() const;

    bool operator==(const GroupConnector&) const = default;
    template <class V>
    void fields(V& v) {
        v("readiness", readiness_), v("added", added_), v("sides", sides_), v("open", open_);
        v("formed", formed_);
        rounds_ = plan::connect_rounds(static_cast<int>(added_.size()));
    }

  private:
    struct Side {
        std::set<core::Rank> hellos;
        bool ready = false;
        bool busy = false;  ///< the group is connecting, or has joined the set of another group
        int holds = 0;
        std::map<int, std::string> ports;
        bool operator==(const Side&) const = default;
        template <class V>
        void fields(V& v) {
            v("hellos", hellos), v("ready", ready), v("busy", busy), v("holds", holds);
            v("ports", ports);
        }
    };
    [[nodiscard]] int position(core::GroupId group) const;
    [[nodiscard]] bool has_heard_all(std::size_t position) const;
    std::vector<ConnectRoundOrder> next();

    plan::Readiness readiness_ = plan::Readiness::broker;
    std::vector<core::Group> added_;
    plan::ConnectRounds rounds_;
    std::vector<Side> sides_;
    std::vector<plan::Connection> open_;
    bool formed_ = false;
};

}  // namespace ductile::resize
