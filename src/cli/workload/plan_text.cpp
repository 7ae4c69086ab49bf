#include "cli/workload/plan_text.hpp"

#include <fmt/format.h>

#include <map>

#include "workload/jobs.hpp"

namespace ductile::cli {
namespace {

std::string class_row(const workload::Study& study, const workload::JobClass& one, int jobs) {
    const int most = max_hosts(study, one);
    const auto scaled = scaled_iteration_s(study, one);
    const auto run_s = [&](int hosts) { return one.iterations * scaled.at(hosts); };
    return fmt::format("{:<12} {:>5} {:>8} {:>6} {:>11} {:>12.1f} {:>12.1f}\n", one.name, jobs,
                       one.min_hosts, most, one.iterations, run_s(one.min_hosts), run_s(most));
}

std::string efficiency_table(const workload::JobClass& one) {
    auto text = fmt::format("\nclass {}\n{:>6} {:>12} {:>9} {:>11} {:>11}\n", one.name, "hosts",
                            "iteration s", "speedup", "efficiency", "normalised");
    for (const auto& row : workload::efficiencies(one.iteration_s, one.min_hosts))
        text +=
            fmt::format("{:>6} {:>12.3f} {:>9.2f} {:>11.3f} {:>11.3f}\n", row.hosts,
                        one.iteration_s.at(row.hosts), row.speedup, row.efficiency, row.normalised);
    return text;
}

}  // namespace

std::string plan_text(const workload::Study& study) {
    const auto jobs = make_jobs(study);
    std::map<workload::ClassIndex, int> of_class;
    for (const auto& job : jobs) ++of_class[job.job_class];
    auto text = fmt::format(
        "{} jobs on {} hosts, seed {}; a second of the study takes {} s\n"
        "min, max: smallest and largest number of hosts of a job; s: seconds of its run\n\n"
        "{:<12} {:>5} {:>8} {:>6} {:>11} {:>12} {:>12}\n",
        study.jobs, study.hosts, study.seed, study.time_scale, "class", "jobs", "min", "max",
        "iterations", "s with min", "s with max");
    for (std::size_t i = 0; i < study.classes.size(); ++i)
        text += class_row(study, study.classes.at(i),
                          of_class[workload::ClassIndex{static_cast<int>(i)}]);
    for (const auto& one : study.classes) text += efficiency_table(one);
    text += fmt::format("\n{:>4} {:>11}  class\n", "job", "submitted s");
    for (const auto& job : jobs)
        text += fmt::format("{:>4} {:>11.2f}  {}{}\n", job.number.value, job.submit_s,
                            study.classes.at(static_cast<std::size_t>(job.job_class.value)).name,
                            job.is_rigid ? ", rigid" : "");
    return text;
}

}  // namespace ductile::cli
