// The end of a process whose MPI is not finalised.
#pragma once

namespace ductile {

/// From now on exit() ends the process once the program's own handlers and destructors have run and
/// what it has written is written: the libraries below are not torn down, which may wait for ever
/// while MPI runs in them. The exit code is the program's.
void exit_shortly();

}  // namespace ductile
