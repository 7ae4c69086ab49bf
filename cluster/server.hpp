// The cluster's init as its users see it: a Unix socket on which commands ask, from outside and
// from any host alike.
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
    /// `owner` is a descriptor that can be read, or is hung up, when the cluster is to end; closed:
    /// nobody owns it, it stays until `down`.
    Server(Cluster& cluster, Descriptor listener, Descriptor owner);

    /// Answers requests until `down` or the owner's end. SIGCHLD is blocked.
    void run();
    /// Who asked for `down` and waits until this process is gone: its socket closes then.
    std::vector<Descriptor> take_farewells() { return std::move(farewells_); }

  private:
    struct Client {
        Descriptor socket;
        FrameReader reader;
        std::chrono::steady_clock::time_point since;
    };
    /// An exec that no host takes now: frozen, or one of the two is cut off. It waits, as ssh
    /// would, until its caller gives up.
    struct WaitingExec {
        Descriptor caller;
        int from = -1;
        std::vector<Descriptor> files;
        Words words;
    };

    void poll_once();
    void accept_client();
    void collect_children();
    /// Reads what has come; true when this client is done with here.
    bool serve(Client& client);
    void answer(Client& client, Words words);
    std::string obey(const Words& words);
    /// False when the exec has to wait.
    bool try_exec(WaitingExec& exec);
    void try_waiting();

    Cluster& cluster_;
    Descriptor listener_;
    Descriptor owner_;
    Descriptor children_;
    std::list<Client> clients_;
    std::list<WaitingExec> waiting_;
    std::vector<Descriptor> farewells_;
    bool ending_ = false;
};

/// A listening socket in the state directory, for this user only.
Descriptor listen_in(const std::string& state_dir);

}  // namespace ductile::cluster
