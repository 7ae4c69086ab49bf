// New processes in new namespaces, and what such a process sets up for itself before anything runs
// in it.
#pragma once

#include <sys/types.h>

#include <string>

#include "cluster/system_call.hpp"

namespace ductile::cluster {

/// As fork, the child in new namespaces (CLONE_NEW...): 0 in the child; -1 with errno in the parent
/// when refused. The calling process has one thread.
pid_t fork_in_new_namespaces(int namespaces);

/// Makes this user the root of `child`'s new user namespace. Called by its parent.
void map_user_to_root(pid_t child);

/// The namespaces that make a host, and those of the head.
int host_namespaces();

/// From inside new mount, UTS and PID namespaces: host name, own /proc, own /dev/shm.
void furnish(const std::string& name);

/// Cuts this mount namespace's later mounts off from the one it was copied from.
void keep_mounts_private();

/// Puts `file` over /etc/hosts, in this mount namespace.
void cover_etc_hosts(const std::string& file);

/// An open /proc/PID/ns/KIND, or -1 with errno.
Descriptor open_namespace(pid_t pid, const std::string& kind);

/// The number by which the kernel tells namespaces apart; 0 when the process is gone.
ino_t namespace_id(pid_t pid, const std::string& kind);

/// While it lives, the calling thread is in the network namespace of `process` (see open_process).
class InNetworkOf {
  public:
    explicit InNetworkOf(const Descriptor& process);
    InNetworkOf(const InNetworkOf&) = delete;
    InNetworkOf& operator=(const InNetworkOf&) = delete;
    ~InNetworkOf();

  private:
    Descriptor own_;
};

/// A descriptor that names a process for good, whatever becomes of its pid.
Descriptor open_process(pid_t pid);

/// Closes every descriptor from 3 on except those named, and gives every signal its default action
/// and an open mask.
void forget_inherited(std::initializer_list<int> kept);

}  // namespace ductile::cluster
