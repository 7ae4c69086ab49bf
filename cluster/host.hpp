// One virtual host: its namespaces, held by an init of our own, and the way into them.
#pragma once

#include <sys/types.h>

#include <memory>

#include "cluster/freezer.hpp"
#include "cluster/network.hpp"
#include "cluster/system_call.hpp"

namespace ductile::cluster {

struct Host {
    int number = 0;
    pid_t init = 0;      ///< as the cluster's init sees it; 0: killed
    Descriptor process;  ///< names `init` for setns
    ino_t pid_namespace = 0;
    std::unique_ptr<Interface> interface;  ///< null: killed, or about to be
    bool is_cut = false;
    std::unique_ptr<FrozenHost> frozen;  ///< null: it runs

    [[nodiscard]] bool is_up() const { return init != 0; }
};

/// A host whose init waits for its cable.
struct BootingHost {
    Host host;
    Descriptor go;      ///< to the init: the cable lies
    Descriptor report;  ///< from the init: empty when all is well, else why not
};

/// Starts the init in namespaces of its own. Then plug_host, then finish_boot: separate, so that
/// many hosts boot at once.
BootingHost begin_boot(int number);

/// Lets the init configure the host, waits for it, at most 10 s, and opens its interface. Throws
/// SystemError; the init is then killed.
Host finish_boot(BootingHost booting);

/// As fork, the child in the host's namespaces. `own_pid_namespace` is the caller's. Throws in the
/// parent when the host is gone; a child that cannot enter ends with status 255.
pid_t fork_on_host(const Host& host, int own_pid_namespace);

/// Collects children that have ended, for ever: what an init does, whose children are all the
/// orphans of its namespace.
[[noreturn]] void reap_for_ever();

}  // namespace ductile::cluster
