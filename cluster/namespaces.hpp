// Starts processes in new namespaces, and sets up such a process before it runs a program.
#pragma once

#include <sys/types.h>

#include <string>

#include "cluster/system_call.hpp"

namespace ductile::cluster {

/// As fork, but the child is in new namespaces (CLONE_NEW...). Returns 0 in the child, and -1 with
/// errno in the parent if the kernel refuses. The calling process must have only one thread.
pid_t fork_in_new_namespaces(int namespaces);

/// Makes this user the root of `child`'s new user namespace. The parent calls it.
void map_user_to_root(pid_t child);

/// The namespaces of a host. The head has them, too.
int host_namespaces();

/// Sets up host name, own /proc and own /dev/shm. Called inside new mount, UTS and PID namespaces.
void furnish(const std::string& name);

/// Later mounts in this mount namespace do not appear in the namespace that it was copied from.
/// Later mounts there still appear here.
void keep_mounts_private();

/// Mounts `file` over /etc/hosts, in this mount namespace.
void cover_etc_hosts(const std::string& file);

/// An open /proc/PID/ns/KIND, or -1 with errno.
Descriptor open_namespace(pid_t pid, const std::string& kind);

/// The number that identifies a namespace in the kernel. 0 if the process is gone.
ino_t namespace_id(pid_t pid, const std::string& kind);

/// While this object lives, the calling thread is in the network namespace of `process` (see
/// open_process).
class InNetworkOf {
  public:
    explicit InNetworkOf(const Descriptor& process);
    InNetworkOf(const InNetworkOf&) = delete;
    InNetworkOf& operator=(const InNetworkOf&) = delete;
    ~InNetworkOf();

  private:
    Descriptor own_;
};

/// A descriptor that refers to this process for ever, even if its pid is reused.
Descriptor open_process(pid_t pid);

/// Closes all descriptors from 3 on except `kept`. Gives all signals their default action, and
/// unblocks them.
void forget_inherited(std::initializer_list<int> kept);

}  // namespace ductile::cluster
