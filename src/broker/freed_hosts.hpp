// Askers that wait until a shrink has freed its hosts. Pure.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "broker/asker.hpp"
#include "core/ids.hpp"

namespace ductile::broker {

class FreedHosts {
  public:
    /// The present state of a host that a shrink frees.
    enum class Fate {
        busy,
        free,
        empty,  ///< no rank runs there, but a daemon of the MPI keeps the agent
        taken   ///< the next resize uses the host
    };
    explicit FreedHosts(std::string mpi) : mpi_(std::move(mpi)) {}

    /// The answer to askers that have waited.
    struct Freed {
        Askers askers;
        std::string text;
    };

    void wait(std::set<core::HostIndex> hosts, std::string text, Askers askers);
    /// Removes and returns the askers whose hosts are all free, empty or taken.
    [[nodiscard]] std::vector<Freed> check(const std::function<Fate(core::HostIndex)>& fate,
                                           const std::function<std::string(core::HostIndex)>& name);

  private:
    struct Waiting {
        std::set<core::HostIndex> hosts;
        std::string text;
        Askers askers;
        std::string kept = {};  ///< names of hosts that are empty, but not given back
    };
    std::string mpi_;
    std::vector<Waiting> waiting_;
};

}  // namespace ductile::broker
