// One virtual host: its namespaces, which an init of Ductile holds, and the way into them.
#pragma once

#include <sys/types.h>

#include <memory>

#include "cluster/freezer.hpp"
#include "cluster/network.hpp"
#include "cluster/system_call.hpp"

namespace ductile::cluster {

struct Host {
    int number = 0;
    pid_t init = 0;      ///< pid in the PID namespace of the cluster's init; 0: killed
    Descriptor process;  ///< refers to `init`, for setns
    ino_t pid_namespace = 0;
    std::unique_ptr<Interface> interface;  ///< null: killed, or being killed
    bool is_cut = false;
    std::unique_ptr<FrozenHost> frozen;  ///< null: not frozen

    [[nodiscard]] bool is_up() const { return init != 0; }
};

/// A host whose init waits for its network cable.
struct BootingHost {
    Host host;
    Descriptor go;      ///< to the init: the cable is connected
    Descriptor report;  ///< from the init: empty on success, else the reason
};

/// Starts the init of the host in its own namespaces. The caller then calls plug_host and
/// finish_boot. These are separate steps, so that many hosts boot at the same time.
BootingHost begin_boot(int number);

/// Lets the init configure the host, waits at most 10 s for that, and opens the interface of the
/// host. If the init fails or does not answer, kills it. Throws SystemError if anything fails.
Host finish_boot(BootingHost booting);

/// As fork, but the child is in the host's namespaces. `own_pid_namespace`: the caller's. Throws in
/// the parent if the host is gone. A child that cannot enter ends with status 255.
pid_t fork_on_host(const Host& host, int own_pid_namespace);

/// Reaps ended children for ever. An init must do this, because all orphans of its namespace become
/// its children.
[[noreturn]] void reap_for_ever();

}  // namespace ductile::cluster
