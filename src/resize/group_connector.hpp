// Who meets whom next while new groups become one communicator. Pure: words in, orders out.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/layout.hpp"
#include "plan/connect_rounds.hpp"
#include "plan/methods.hpp"

namespace ductile::resize {

/// All ranks of these groups are to accept (the acceptor's set) or connect on this port now.
struct ConnectRoundOrder {
    int round = 0;
    std::string port;
    std::vector<core::GroupId> groups;
    bool operator==(const ConnectRoundOrder&) const = default;
};

/// Follows the connection rounds of the groups that were started together. A set goes into a
/// meeting when both sides are there: nobody waits inside MPI for somebody who is not.
class GroupConnector {
  public:
    GroupConnector() = default;  ///< for fields() to fill
    /// With Readiness::tree the groups hear of each other by themselves: it orders no meeting.
    explicit GroupConnector(std::vector<core::Group> added,
                            plan::Readiness readiness = plan::Readiness::broker);

    /// A rank of this group has something else to do first: the group meets nobody until release()
    /// has been called as often.
    void hold(core::GroupId group);
    std::vector<ConnectRoundOrder> release(core::GroupId group);
    [[nodiscard]] bool knows(core::GroupId group) const;
    [[nodiscard]] bool has_one_group() const { return added_.size() == 1; }
    /// How many ranks the group is to have; 0 for one that is not among them.
    [[nodiscard]] int ranks_of(core::GroupId group) const;

    /// A rank has said hello; all of a group's ranks must, and its leader be ready, before the
    /// group meets anybody. Throws InputError when the group has no such rank.
    std::vector<ConnectRoundOrder> hello(const core::Process& rank);
    /// Throws InputError when the ports are not those that the plan asks of this group.
    std::vector<ConnectRoundOrder> ready(core::GroupId group, int ranks,
                                         const std::vector<int>& rounds,
                                         const std::vector<std::string>& ports);
    /// The first rank of a set that `leading` leads says that it has met in this round.
    std::vector<ConnectRoundOrder> round_done(core::GroupId leading, int round);
    /// Rank 0 of all says that they are in order.
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
        bool busy = false;  ///< in a meeting
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
    std::vector<plan::Meeting> open_;
    bool formed_ = false;
};

}  // namespace ductile::resize
