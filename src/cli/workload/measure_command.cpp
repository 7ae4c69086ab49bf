#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>

#include "cli/command_line.hpp"
#include "cli/interrupt.hpp"
#include "cli/workload/slurm_batch.hpp"
#include "cli/workload/study_folder.hpp"
#include "cli/workload/workload_command.hpp"
#include "cli/workload/workload_run.hpp"
#include "ductile/error.hpp"

namespace ductile::cli {
namespace {

constexpr const char* run_name = "measure";

struct MeasureOptions {
    std::string study, folder = "workload", job_class;
};

/// A job that measures a class on a number of hosts.
struct Measurement {
    workload::JobNumber number;
    const workload::JobClass* job_class = nullptr;
    int hosts = 0;
};

std::vector<Measurement> measurements_of(const workload::Study& study, const std::string& name) {
    std::vector<Measurement> all;
    for (const auto& job_class : study.classes) {
        if (!name.empty() && job_class.name != name) continue;
        for (const auto& [hosts, expected_s] : job_class.iteration_s)
            if (hosts <= study.hosts)
                all.push_back(
                    {workload::JobNumber{static_cast<int>(all.size()) + 1}, &job_class, hosts});
    }
    if (all.empty() && name.empty())
        throw InputError(
            fmt::format("the study has no class with a number of hosts up to {}", study.hosts));
    if (all.empty())
        throw InputError(
            fmt::format("--class: the study has no class '{}' with a number of hosts "
                        "up to {}",
                        name, study.hosts));
    return all;
}

/// The mean seconds of an iteration over the whole job. nullopt if there are too few records of its
/// pace. It is not a median over pairs of records, because two records are only half a second
/// apart.
std::optional<double> iteration_s(const std::optional<report::Timeline>& history) {
    if (!history || history->paces.empty()) return std::nullopt;
    const auto &first = history->paces.front(), &last = history->paces.back();
    if (last.points <= first.points) return std::nullopt;
    return (last.clock_s - first.clock_s) / static_cast<double>(last.points - first.points);
}

void print(const workload::Study& study, const std::vector<Measurement>& measurements,
           const RunPlace& place) {
    const workload::JobClass* current = nullptr;
    std::string line;
    const auto flush = [&] {
        if (current != nullptr)
            std::cout << "# class " << current->name << "\niteration_s = {" << line << "}\n";
        line.clear();
    };
    for (const auto& one : measurements) {
        if (one.job_class != current) flush();
        current = one.job_class;
        const auto seconds = iteration_s(history_of(place, one.number));
        if (!seconds)
            std::cerr << fmt::format("class {} on {} hosts: no time; see {}/{:02}.out\n",
                                     one.job_class->name, one.hosts, place.folder,
                                     one.number.value);
        else
            line += fmt::format("{}{} = {:.4f}", line.empty() ? "" : ", ", one.hosts,
                                *seconds / study.time_scale);
    }
    flush();
}

int measure(const MeasureOptions& options) {
    const auto folder = StudyFolder::for_runs(options.folder, options.study);
    const auto& study = folder.study();
    const auto measurements = measurements_of(study, options.job_class);
    folder.begin(run_name);
    const auto place = folder.place(run_name);
    Batch batch{{}, place.job_prefix, 0};
    for (const auto& one : measurements) {
        batch.jobs.push_back(
            {one.number, 0, fixed_submission(study, *one.job_class, one.number, one.hosts, place)});
        batch.limit_s += 60 + 2 * slowest_s(study, *one.job_class);
    }
    std::cerr << measurements.size() << " jobs measure the iterations\n";
    const Interrupt interrupt;
    try {
        const auto result = run_batch(batch, interrupt);
        print(study, measurements, place);
        const bool all_succeeded = std::ranges::all_of(
            result.jobs, [](const auto& job) { return job.second.state == "COMPLETED"; });
        return all_succeeded ? exit_code::ok : exit_code::failed;
    } catch (const Interrupted& end) {
        return 128 + end.signal;
    }
}

}  // namespace

void add_workload_measure_command(CLI::App& workload, int& exit_code) {
    auto* command = workload.add_subcommand("measure",
                                            "Run a job of each class on each number of hosts, and "
                                            "print how long an iteration takes, as lines for the "
                                            "file of the study");
    auto options = std::make_shared<MeasureOptions>();
    add_study_options(*command, options->study, options->folder);
    command->add_option("--class", options->job_class, "only this class (default: all)")
        ->type_name("NAME");
    command->callback([options, &exit_code] { exit_code = measure(*options); });
}

}  // namespace ductile::cli
