#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "cli/ask.hpp"
#include "cli/ask_broker.hpp"
#include "cli/status_text.hpp"

namespace ductile::cli {

namespace {

using wire::Json;

struct StatusOptions {
    std::string job;
    bool json = false;
    bool options = false;
};

void print_options(const Json& options) {
    fmt::print("{:<18} {:>10}  from\n", "option", "value");
    for (const auto& [name, option] : options.items())
        fmt::print("{:<18} {:>10}  {}\n", name, option["value"].dump(),
                   option["from"].get<std::string>());
}

void status(const StatusOptions& options) {
    if (options.job.empty()) {
        const auto jobs = running_jobs();
        if (jobs.size() != 1) {
            Json all = Json::array();
            if (!options.json)
                fmt::print("{:<12} {:<10} {:>6}  program\n", "job", "state", "ranks");
            for (const auto& job : jobs) {
                const auto s = ask_status(job);
                if (!options.json)
                    fmt::print("{:<12} {:<10} {:>6}  {}\n", job.job, s["state"].get<std::string>(),
                               s["ranks"].get<int>(), s["program"][0].get<std::string>());
                all.push_back(s);
            }
            if (options.json) std::cout << all.dump(2) << "\n";
            return;
        }
    }
    const auto s = ask_status(find_job(options.job));
    if (options.json)
        std::cout << (options.options ? s["options"] : s).dump(2) << "\n";
    else if (options.options)
        print_options(s["options"]);
    else
        std::cout << status_text(s);
}

}  // namespace

void add_status_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("status", "Show a job, or all jobs of this user");
    auto options = std::make_shared<StatusOptions>();
    command->add_option("JOB", options->job, "the job (may be left out)");
    command->add_flag("--json", options->json, "as JSON");
    command->add_flag("--options", options->options, "each option's value and where it came from");
    command->callback([options, &exit_code] {
        status(*options);
        exit_code = exit_code::ok;
    });
}

}  // namespace ductile::cli
