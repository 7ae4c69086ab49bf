// The kernel's limits for the start of a program (execve(2)).
#pragma once

#include <string>
#include <vector>

namespace ductile::cli {

/// Throws InputError that names the limit, if the words of a program and the variables of its
/// environment (NAME=VALUE) exceed the limits of this system's exec. One limit is for each word or
/// variable, the other limit is for all together. The check leaves some room for variables of MPI
/// and Ductile. Other hosts may have lower limits.
void expect_exec_takes(const std::vector<std::string>& program,
                       const std::vector<std::string>& environment);

}  // namespace ductile::cli
