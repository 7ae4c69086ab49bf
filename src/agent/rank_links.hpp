// The connections of a group's ranks with their agent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/group_events.hpp"
#include "agent/local_server.hpp"

namespace ductile::agent {

/// A message for a rank that has not said hello waits for it.
class RankLinks {
  public:
    explicit RankLinks(std::size_t ranks) : links_(ranks) {}

    /// Its first messages are sent: the welcome, then what has waited.
    void adopt(Place place, const std::shared_ptr<LocalPeer>& peer, const std::string& welcome);
    void send(Place place, const std::string& frame);
    /// Null when the rank has not said hello.
    [[nodiscard]] LocalPeer* peer(Place place) const { return links_.at(place).peer.get(); }
    /// Delivers what a rank that has ended had still said.
    void drain(Place place);
    void close(Place place, const std::string& why);

  private:
    struct Link {
        std::shared_ptr<LocalPeer> peer;
        std::vector<std::string> waiting;
        bool closed = false;
    };
    std::vector<Link> links_;
};

}  // namespace ductile::agent
