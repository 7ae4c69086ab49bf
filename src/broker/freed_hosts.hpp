// Who waits for hosts to be free after a shrink. Pure.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/ids.hpp"

namespace ductile::broker {

class FreedHosts {
  public:
    /// What has become of a host that was to be freed.
    enum class Fate {
        busy,
        free,
        empty,  ///< nothing of the job runs there, but a daemon of the MPI keeps the agent
        taken   ///< by the next resize
    };
    using Answer = std::function<void(const std::string& text)>;

    explicit FreedHosts(std::string mpi) : mpi_(std::move(mpi)) {}
    void wait(std::set<core::HostIndex> hosts, std::string text, Answer answer);
    /// Answers those whose hosts are all free, empty or taken.
    void check(const std::function<Fate(core::HostIndex)>& fate,
               const std::function<std::string(core::HostIndex)>& name);

  private:
    struct Waiting {
        std::set<core::HostIndex> hosts;
        std::string text;
        Answer answer;
        std::string kept = {};  ///< hosts that are empty, but not given back
    };
    std::string mpi_;
    std::vector<Waiting> waiting_;
};

}  // namespace ductile::broker
