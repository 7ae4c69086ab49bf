// The keeper of Slurm's daemons on one host: it starts them, ends them with all their descendants,
// and removes their files. It ends when its standard input ends. So nothing stays on the host, even
// if `ductile nested-slurm` is killed.
#pragma once

#include "os/fd.hpp"

namespace ductile::cli {

/// Tells free ports over `out`, reads an order from `in`, carries it out, and waits for the end of
/// `in`, for the end of a daemon, or for a signal (HUP, INT, QUIT, TERM). Returns the exit code.
int keep_daemons(const os::Fd& in, const os::Fd& out);

}  // namespace ductile::cli
