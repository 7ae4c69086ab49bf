// All worlds of a job, identified by the names of their key-value spaces.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/ids.hpp"
#include "pmi/kvsname.hpp"
#include "pmi/name_table.hpp"
#include "pmi/world_server.hpp"

namespace ductile::pmi {

struct ServerEffect {
    KvsName world;
    WorldEffect effect;
    bool operator==(const ServerEffect&) const = default;
};
using ServerOutbox = std::vector<ServerEffect>;

class Server {
  public:
    /// Throws InputError if a world with this name exists already, or has no host.
    void add(const KvsName& world, const std::set<core::HostIndex>& hosts, Gate gate,
             Barriers barriers = Barriers::from_first);
    /// The world has ended. Its names are removed, and later messages about it are ignored.
    void remove(const KvsName& world);

    /// Ignored if there is no such world.
    void on(const KvsName& world, core::HostIndex host, const FromHost& message, ServerOutbox& out);
    /// Tells every world that has ranks on this host.
    void on_host_lost(core::HostIndex host, ServerOutbox& out);
    void release_gate(const KvsName& world, ServerOutbox& out);

    [[nodiscard]] NameTable& names() { return names_; }

  private:
    std::map<KvsName, WorldServer> worlds_;
    NameTable names_;
};

}  // namespace ductile::pmi
