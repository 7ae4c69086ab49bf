// How a process ends without MPI_Finalize.
#pragma once

namespace ductile {

/// From now on exit() runs the handlers and destructors of the program, writes buffered output, and
/// then ends the process. It does not run the destructors of MPI and of the other libraries that
/// this library needs, because they may wait for ever while a thread is inside MPI. The exit code
/// is that of the program.
void exit_shortly();

}  // namespace ductile
