#include "agent/rank_links.hpp"

namespace ductile::agent {

namespace {

constexpr std::size_t max_waiting = 1024;

}  // namespace

void RankLinks::adopt(Place place, const std::shared_ptr<LocalPeer>& peer,
                      const std::string& welcome) {
    auto& link = links_.at(place);
    link.peer = peer;
    peer->send(welcome);
    for (const auto& frame : link.waiting) peer->send(frame);
    link.waiting.clear();
}

void RankLinks::send(Place place, const std::string& frame) {
    auto& link = links_.at(place);
    if (link.peer)
        link.peer->send(frame);
    else if (!link.closed && link.waiting.size() < max_waiting)
        link.waiting.push_back(frame);
}

void RankLinks::drain(Place place) {
    // Copies the pointer: a message may close the connection during the call.
    if (const auto peer = links_.at(place).peer) peer->drain();
}

void RankLinks::close(Place place, const std::string& why) {
    auto& link = links_.at(place);
    link.closed = true;
    link.waiting.clear();
    if (const auto peer = link.peer) peer->close(why);
}

}  // namespace ductile::agent
