// `ductile explain`: what the policy of a job has decided, and why.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/ask.hpp"
#include "cli/command_line.hpp"
#include "cli/explain_text.hpp"
#include "cli/status_text.hpp"
#include "wire/json_line.hpp"

namespace ductile::cli {

namespace {

struct ExplainOptions {
    std::string job;
    bool json = false;
};

void explain(const ExplainOptions& options) {
    const auto job = find_job(options.job);
    const auto status = ask_status(job);
    if (!status.contains("policy"))
        throw InputError("job " + job.job +
                         " has no policy: only people and the program resize it (`ductile run "
                         "--policy`)");
    const auto& policy = status.at("policy");
    if (options.json)
        std::cout << policy.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
    else
        std::cout << explain_text(policy);
}

}  // namespace

void add_explain_command(CLI::App& app, int& exit_code) {
    auto* command =
        app.add_subcommand("explain", "Show what the policy of a job has decided, and why");
    auto options = std::make_shared<ExplainOptions>();
    command->add_option("JOB", options->job, "the job (optional if only one job runs)");
    command->add_flag("--json", options->json, "print JSON");
    command->callback([options, &exit_code] {
        explain(*options);
        exit_code = exit_code::ok;
    });
}

}  // namespace ductile::cli
