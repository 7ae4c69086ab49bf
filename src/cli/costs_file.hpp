// The file in which `ductile calibrate` keeps the costs of resizes on this machine.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "mpi/capabilities.hpp"
#include "plan/cost_model.hpp"

namespace ductile::cli {

/// $XDG_CONFIG_HOME/ductile/costs.json, or ~/.config/ductile/costs.json.
std::string costs_path();

/// All times are in seconds. `mpi`: the MPI that the times belong to.
nlohmann::json to_json(const plan::CostModel& model, const mpi::Capabilities& mpi);

/// Throws InputError that names the place if the JSON is not what to_json() makes, or belongs to
/// another MPI.
plan::CostModel costs_from_json(const nlohmann::json& json, const mpi::Capabilities& mpi);

/// Does the same as costs_from_json() with the text of a file. Throws InputError that begins with
/// `file`.
plan::CostModel parse_costs(std::string_view text, const std::string& file,
                            const mpi::Capabilities& mpi);

/// Throws InputError that names the file (and the place in it).
plan::CostModel read_costs(const std::string& path, const mpi::Capabilities& mpi);

/// The model in costs_path(). The model is empty if the file does not exist or belongs to another
/// MPI. Throws InputError as read_costs does.
plan::CostModel costs_of_this_user(const mpi::Capabilities& mpi);

/// Writes the whole file or nothing. Makes the folder. Throws SystemError.
void write_costs(const std::string& path, const plan::CostModel& model,
                 const mpi::Capabilities& mpi);

}  // namespace ductile::cli
