// A user namespace that was made without root forbids setgroups(). Slurm's daemons run as root
// there, and end if setgroups() fails.
#pragma once

namespace ductile::cluster {

/// If the user namespace forbids setgroups(), this makes setgroups() do nothing and succeed, in
/// this process and in all processes that it starts. Such a namespace has only one user and one
/// group, so there is nothing to set. In other namespaces this function has no effect.
void ignore_forbidden_setgroups();

}  // namespace ductile::cluster
