#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "cli/ask.hpp"
#include "cli/ask_broker.hpp"
#include "cli/status_text.hpp"
#include "wire/fields.hpp"
#include "wire/printable.hpp"

namespace ductile::cli {

namespace {

using wire::Json;

struct StatusOptions {
    std::string job;
    bool json = false;
    bool options = false;
};

// Writes control characters and all characters outside ASCII as \uNNNN. So the text is safe on
// a terminal.
std::string as_text(const Json& json, int indent) {
    return json.dump(indent, ' ', true, Json::error_handler_t::replace);
}

/// The program and its arguments, if they are short.
std::string program_of(const Json& s) {
    constexpr std::size_t most = 60;
    std::string words;
    for (const auto& word : s.at("program"))
        words += (words.empty() ? "" : " ") + word.get<std::string>();
    return words.size() <= most ? words : words.substr(0, most) + "...";
}

std::string row_of(const Json& s) {
    return fmt::format("{:<20} {:<10} {:>6}  {}\n", s.at("job").get<std::string>(),
                       s.at("state").get<std::string>(), s.at("ranks").get<int>(), program_of(s));
}

/// The same for a job whose broker is stopped.
std::string stopped_row(const JobSocket& job, pid_t broker) {
    return fmt::format(
        "{:<20} {:<10} {:>6}  to continue it: `fg` in its terminal, or kill -CONT {}\n", job.job,
        "stopped", "?", broker);
}

/// A line for a job whose broker does not answer, in the columns of row_of().
std::string line_without_broker(const std::string& job) {
    return fmt::format("{:<20} {:<10} {:>6}  take it over: ductile run --resume {}\n", job,
                       "no broker", "?", job);
}

/// What is known of such a job.
Json stopped_json(const JobSocket& job, pid_t broker) {
    return {{"job", job.job}, {"state", "stopped"}, {"broker_pid", broker}};
}

void print_options(const Json& options) {
    std::cout << fmt::format("{:<18} {:>10}  from\n", "option", "value");
    for (const auto& [name, option] : options.items())
        std::cout << wire::printable(fmt::format("{:<18} {:>10}  {}\n", name,
                                                 as_text(option.at("value"), -1),
                                                 option.at("from").get<std::string>()));
}

void print_all(const Jobs& jobs) {
    std::cout << fmt::format("{:<20} {:<10} {:>6}  program\n", "job", "state", "ranks");
    for (const auto& job : jobs.running) {
        try {
            std::cout << wire::printable(with_status(job, row_of));
        } catch (const BrokerStopped& stopped) {
            std::cout << wire::printable(stopped_row(job, stopped.broker()));
        }
    }
    for (const auto& job : jobs.without_broker)
        std::cout << wire::printable(line_without_broker(job));
}

void print_all_json(const Jobs& jobs) {
    Json all = Json::array();
    for (const auto& job : jobs.running) {
        try {
            all.push_back(ask_status(job));
        } catch (const BrokerStopped& stopped) {
            all.push_back(stopped_json(job, stopped.broker()));
        }
    }
    std::cout << as_text(all, 2) << "\n";
}

void print_one(const JobSocket& job, const StatusOptions& options) try {
    with_status(job, [&](const Json& s) {
        if (options.json)
            std::cout << as_text(options.options ? s.at("options") : s, 2) << "\n";
        else if (options.options)
            print_options(s.at("options"));
        else
            std::cout << status_text(s);
    });
} catch (const BrokerStopped& stopped) {
    if (!options.json || options.options) throw;
    std::cout << as_text(stopped_json(job, stopped.broker()), 2) << "\n";
}

void status(const StatusOptions& options) {
    if (!options.job.empty() || options.options) return print_one(find_job(options.job), options);
    const auto jobs = find_jobs();
    if (jobs.running.size() != 1) return options.json ? print_all_json(jobs) : print_all(jobs);
    print_one(jobs.running.front(), options);
    if (options.json) return;
    for (const auto& job : jobs.without_broker)
        std::cout << wire::printable("\n" + line_without_broker(job));
}

}  // namespace

void add_status_command(CLI::App& app, int& exit_code) {
    auto* command = app.add_subcommand("status", "Show a job, or all jobs of this user");
    auto options = std::make_shared<StatusOptions>();
    command->add_option("JOB", options->job,
                        "the job (default: the only job that runs, or a list if several run; "
                        "with --options, name one if several run)");
    command->add_flag("--json", options->json, "print JSON");
    command->add_flag("--options", options->options,
                      "show the value of each option, and where the value comes from");
    command->callback([options, &exit_code] {
        status(*options);
        exit_code = exit_code::ok;
    });
}

}  // namespace ductile::cli
