// The connections between a group's ranks and their agent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "agent/group_events.hpp"
#include "agent/local_server.hpp"

namespace ductile::agent {

/// A message for a rank that has not said hello waits until its hello. At most 1024 messages wait,
/// and further ones are lost.
class RankLinks {
  public:
    explicit RankLinks(std::size_t ranks) : links_(ranks) {}

    /// Takes the connection of a rank. Sends the welcome, then the messages that have waited.
    void adopt(Place place, const std::shared_ptr<LocalPeer>& peer, const std::string& welcome);
    void send(Place place, const std::string& frame);
    /// Null if the rank has not said hello.
    [[nodiscard]] LocalPeer* peer(Place place) const { return links_.at(place).peer.get(); }
    /// The rank has ended: delivers the messages that it had sent before.
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
