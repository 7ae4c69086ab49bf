// What the kernel takes when a program is started (execve(2)).
#pragma once

#include <string>
#include <vector>

namespace ductile::cli {

/// Throws InputError that names the limit when the words of a program and the variables of its
/// environment (NAME=VALUE) are more than this system's exec takes: one of them too long, or all of
/// them together, with some room for what MPI and Ductile add. Other hosts may allow less.
void expect_exec_takes(const std::vector<std::string>& program,
                       const std::vector<std::string>& environment);

}  // namespace ductile::cli
