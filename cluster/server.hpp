// The server in the cluster's init: a Unix socket for commands from outside and from any host.
#pragma once

#include <chrono>
#include <list>
#include <string>
#include <utility>
#include <vector>

#include "cluster/cluster.hpp"
#include "cluster/message.hpp"

namespace ductile::cluster {

class Server {
  public:
    /// `owner`: a descriptor that becomes readable, or is hung up, when the cluster must end. If
    /// this descriptor is closed (-1), the cluster has no owner, and stays until `down`.
    Server(Cluster& cluster, Descriptor listener, Descriptor owner);

    /// Answers requests until `down` or the owner's end. SIGCHLD must be blocked.
    void run();
    /// The sockets of the clients that asked for `down`. They must stay open until the cluster has
    /// ended, because these clients wait for that.
    std::vector<Descriptor> take_down_clients() { return std::move(down_clients_); }

  private:
    struct Client {
        Descriptor socket;
        FrameReader reader;
        std::chrono::steady_clock::time_point since;
    };
    /// An exec that cannot start now, because its host is frozen, or because its host or the
    /// caller's host is cut off. It waits, as ssh would, until it can start or its caller gives up.
    struct WaitingExec {
        Descriptor caller;
        int from = -1;
        std::vector<Descriptor> files;
        Words words;
    };

    void poll_once();
    void accept_client();
    void collect_children();
    /// Reads the available bytes. True: the server does not serve this client any more.
    bool serve(Client& client);
    void answer(Client& client, Words words);
    std::string obey(const Words& words);
    /// False: the exec must wait.
    bool try_exec(WaitingExec& exec);
    void try_waiting();

    Cluster& cluster_;
    Descriptor listener_;
    Descriptor owner_;
    Descriptor children_;
    std::list<Client> clients_;
    std::list<WaitingExec> waiting_;
    std::vector<Descriptor> down_clients_;
    bool ending_ = false;
};

/// A listening socket in the state directory, for this user only.
Descriptor listen_in(const std::string& state_dir);

}  // namespace ductile::cluster
