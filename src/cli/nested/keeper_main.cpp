// slurm-keeper: keeps the daemons of a nested Slurm on one host (keeper.hpp).
#include <unistd.h>

#include "cli/nested/keeper.hpp"

int main() {
    const ductile::os::Fd in{STDIN_FILENO}, out{STDOUT_FILENO};
    return ductile::cli::keep_daemons(in, out);
}
