#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "cli/ask.hpp"
#include "cli/ask_broker.hpp"

namespace ductile::cli {

namespace {

using wire::Json;

struct StatusOptions {
    std::string job;
    bool json = false;
    bool options = false;
};

Json ask_status(const JobSocket& job) {
    Json status;
    ask_broker(job, wire::StatusRequest{}, std::chrono::seconds(10), [&](const wire::Reply& reply) {
        if (reply.kind != wire::ReplyKind::done) throw SystemError(reply.text);
        status = Json::parse(reply.data);
        return true;
    });
    return status;
}

void print_options(const Json& options) {
    fmt::print("{:<18} {:>10}  from\n", "option", "value");
    for (const auto& [name, option] : options.items())
        fmt::print("{:<18} {:>10}  {}\n", name, option["value"].dump(),
                   option["from"].get<std::string>());
}

void print_status(const Json& s) {
    std::string program;
    for (const auto& word : s["program"])
        program += (program.empty() ? "" : " ") + word.get<std::string>();
    fmt::print("job      {}  {}{}\n", s["job"].get<std::string>(), s["state"].get<std::string>(),
               s["worn"].get<bool>() ? ", worn: it can shrink and end, but not grow" : "");
    fmt::print("program  {}\nmpi      {}\nranks    {}\n", program, s["mpi"].get<std::string>(),
               s["ranks"].get<int>());
    if (s.contains("point_s"))
        fmt::print("points   {}, one every {:.3g} s\n", s["points"].get<std::int64_t>(),
                   s["point_s"].get<double>());
    if (s.contains("pending"))
        fmt::print("resize   {} -> {}: {}\n", s["pending"]["from"].get<int>(),
                   s["pending"]["to"].get<int>(), s["pending"]["phase"].get<std::string>());
    fmt::print("\n{:<20} {:>5} {:>5}  groups\n", "host", "slots", "ranks");
    for (const auto& host : s["hosts"]) {
        std::string groups;
        for (const auto& group : s["groups"])
            for (const auto& share : group["hosts"])
                if (share["host"] == host["name"])
                    groups += fmt::format(" g{}", group["id"].get<int>());
        fmt::print("{:<20} {:>5} {:>5} {}\n", host["name"].get<std::string>(),
                   host["slots"].get<int>(), host["ranks"].get<int>(),
                   groups.empty() ? " -" : groups);
    }
    if (s["resizes"].empty()) return;
    fmt::print("\n{:>4} {:>12} {:<12} {:>10} {:>10}\n", "", "ranks", "outcome", "total ms",
               "stall ms");
    for (const auto& r : s["resizes"])
        fmt::print("{:>4} {:>12} {:<12} {:>10.1f} {:>10.2f}\n", r["transaction"].get<int>(),
                   fmt::format("{} -> {}", r["from"].get<int>(), r["to"].get<int>()),
                   r["outcome"].get<std::string>(), r["total_s"].get<double>() * 1e3,
                   r["stall_s"].get<double>() * 1e3);
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
        print_status(s);
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
