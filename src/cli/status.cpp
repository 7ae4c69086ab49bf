#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "cli/ask.hpp"
#include "cli/ask_broker.hpp"
#include "cli/status_text.hpp"
#include "wire/printable.hpp"

namespace ductile::cli {

namespace {

using wire::Json;

struct StatusOptions {
    std::string job;
    bool json = false;
    bool options = false;
};

// Control characters as \uNNNN: for a terminal as well as for a program.
std::string as_text(const Json& json, int indent) {
    return json.dump(indent, ' ', true, Json::error_handler_t::replace);
}

std::string line_of(const Json& s) {
    return fmt::format("{:<12} {:<10} {:>6}  {}\n", s.at("job").get<std::string>(),
                       s.at("state").get<std::string>(), s.at("ranks").get<int>(),
                       s.at("program").at(0).get<std::string>());
}

void print_options(const Json& options) {
    std::cout << fmt::format("{:<18} {:>10}  from\n", "option", "value");
    for (const auto& [name, option] : options.items())
        std::cout << wire::printable(fmt::format("{:<18} {:>10}  {}\n", name,
                                                 as_text(option.at("value"), -1),
                                                 option.at("from").get<std::string>()));
}

void status(const StatusOptions& options) {
    if (options.job.empty()) {
        const auto jobs = running_jobs();
        if (jobs.size() != 1) {
            Json all = Json::array();
            if (!options.json)
                std::cout << fmt::format("{:<12} {:<10} {:>6}  program\n", "job", "state", "ranks");
            for (const auto& job : jobs) {
                if (options.json)
                    all.push_back(ask_status(job));
                else
                    std::cout << wire::printable(with_status(job, line_of));
            }
            if (options.json) std::cout << as_text(all, 2) << "\n";
            return;
        }
    }
    with_status(find_job(options.job), [&](const Json& s) {
        if (options.json)
            std::cout << as_text(options.options ? s.at("options") : s, 2) << "\n";
        else if (options.options)
            print_options(s.at("options"));
        else
            std::cout << status_text(s);
    });
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
