// The sbatch command of `ductile submit`. Pure.
#pragma once

#include <string>
#include <vector>

namespace ductile::cli {

/// `sbatch_options`: the user's; they override the options that this function sets. `rest`: options
/// of `ductile run`, `--`, and the program; or the program alone. `ductile`: the path of this
/// program. Throws InputError if there is no program, or for an sbatch option that would set the
/// number or the names of the hosts, or give the Slurm job another script, or make it a job array.
std::vector<std::string> submit_words(const std::vector<std::string>& sbatch_options,
                                      const std::vector<std::string>& rest,
                                      const std::string& ductile);

}  // namespace ductile::cli
