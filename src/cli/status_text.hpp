// A broker's status of its job, as text.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cli/command_line.hpp"
#include "ductile/error.hpp"

namespace ductile::cli {

/// Asks the job's broker. Throws SystemError if the broker is gone or does not answer within 10 s.
nlohmann::json ask_status(const JobSocket& job);

/// The job, its hosts with their groups, and its resizes: all, or the last ones.
std::string status_text(const nlohmann::json& status,
                        std::size_t most_resizes = static_cast<std::size_t>(-1));

/// Asks the job's broker for its status, calls `use` with the status, and returns the result of
/// `use`. Throws what ask_status() throws, and SystemError if the status lacks a field that `use`
/// reads.
template <class Use>
auto with_status(const JobSocket& job, const Use& use) {
    const auto status = ask_status(job);
    try {
        return use(status);
    } catch (const nlohmann::json::exception& error) {
        throw SystemError("the broker of job " + job.job +
                          " has sent a status that this program cannot read (" + error.what() +
                          "); is it of another version?");
    }
}

}  // namespace ductile::cli
