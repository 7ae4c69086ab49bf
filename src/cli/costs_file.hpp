// The file in which `ductile calibrate` keeps what resizes cost on this machine.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "mpi/capabilities.hpp"
#include "plan/cost_model.hpp"

namespace ductile::cli {

/// $XDG_CONFIG_HOME/ductile/costs.json, or ~/.config/ductile/costs.json.
std::string costs_path();

/// All times in seconds. `mpi`: whose times they are.
nlohmann::json to_json(const plan::CostModel& model, const mpi::Capabilities& mpi);

/// Throws InputError that names the place for what is not such a model, or is one of another MPI.
plan::CostModel costs_from_json(const nlohmann::json& json, const mpi::Capabilities& mpi);

/// The same from the text of a file. Throws InputError that begins with `file`.
plan::CostModel parse_costs(std::string_view text, const std::string& file,
                            const mpi::Capabilities& mpi);

/// Throws InputError that names the file (and the place in it).
plan::CostModel read_costs(const std::string& path, const mpi::Capabilities& mpi);

/// What is in costs_path(); an empty model when it is not there or of another MPI. Throws
/// InputError as read_costs does.
plan::CostModel costs_of_this_user(const mpi::Capabilities& mpi);

/// Whole or not at all. Makes the folder. Throws SystemError.
void write_costs(const std::string& path, const plan::CostModel& model,
                 const mpi::Capabilities& mpi);

}  // namespace ductile::cli
