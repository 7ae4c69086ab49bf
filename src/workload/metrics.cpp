#include "workload/metrics.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "core/contract.hpp"

namespace ductile::workload {

namespace {

double end_of_entry(const JobRecord& job, std::size_t entry) {
    return entry + 1 < job.hosts.size() ? job.hosts[entry + 1].time_s : job.end_s;
}

double first_submit_s(const std::vector<JobRecord>& jobs) {
    return std::ranges::min(jobs, {}, &JobRecord::submit_s).submit_s;
}

double last_end_s(const std::vector<JobRecord>& jobs) {
    return std::ranges::max(jobs, {}, &JobRecord::end_s).end_s;
}

/// The median of a number of each item; 0 if there are no items.
template <class Items, class NumberOf>
double median_of(const Items& items, NumberOf number_of) {
    std::vector<double> values;
    for (const auto& item : items) values.push_back(std::invoke(number_of, item));
    return values.empty() ? 0 : median(std::move(values));
}

JobTimes medians_of_jobs(const std::vector<JobTimes>& times) {
    return {median_of(times, &JobTimes::wait_s), median_of(times, &JobTimes::run_s),
            median_of(times, &JobTimes::turnaround_s)};
}

ResizeTimes medians_of_resizes(const std::vector<ResizeTimes>& times) {
    return {median_of(times, &ResizeTimes::total_s), median_of(times, &ResizeTimes::spawn_s),
            median_of(times, &ResizeTimes::redistribution_s),
            median_of(times, &ResizeTimes::stall_s)};
}

void measure_jobs(RunNumbers& numbers, const std::vector<JobRecord>& jobs) {
    std::vector<JobTimes> all;
    std::map<std::string, std::vector<JobTimes>> of_class;
    for (const auto& job : jobs) {
        auto& same = of_class[job.class_name];
        if (!job.succeeded) {
            ++numbers.failed_jobs;
            continue;
        }
        all.push_back(times_of(job));
        same.push_back(times_of(job));
    }
    numbers.all_classes = {"", static_cast<int>(all.size()), medians_of_jobs(all)};
    for (const auto& [name, times] : of_class)
        numbers.classes.push_back({name, static_cast<int>(times.size()), medians_of_jobs(times)});
}

void measure_resizes(RunNumbers& numbers, const std::vector<JobRecord>& jobs) {
    std::vector<ResizeTimes> all;
    for (const auto& job : jobs)
        for (const auto& resize : job.resizes) {
            numbers.resize_time_s += resize.total_s;
            numbers.overlapped_iterations += resize.overlapped_iterations;
            all.push_back(
                {resize.total_s, resize.spawn_s, resize.redistribution_s, resize.stall_s});
        }
    numbers.resizes = static_cast<double>(all.size());
    numbers.resize_median = medians_of_resizes(all);
}

ClassTimes merged(const std::string& name, const std::vector<ClassTimes>& repetitions) {
    ClassTimes result{name, 0, {}};
    std::vector<JobTimes> times;
    for (const auto& one : repetitions) {
        result.jobs += one.jobs;
        if (one.jobs > 0) times.push_back(one.median);
    }
    result.median = medians_of_jobs(times);
    return result;
}

}  // namespace

double median(std::vector<double> values) {
    DUCTILE_EXPECT(!values.empty());
    std::ranges::sort(values);
    const auto half = values.size() / 2;
    return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

JobTimes times_of(const JobRecord& job) {
    const double wait_s = job.start_s - job.submit_s, run_s = job.end_s - job.start_s;
    return {wait_s, run_s, wait_s + run_s};
}

double host_seconds(const JobRecord& job) {
    double sum = 0;
    for (std::size_t i = 0; i < job.hosts.size(); ++i)
        sum += job.hosts[i].hosts * (end_of_entry(job, i) - job.hosts[i].time_s);
    return sum;
}

std::vector<UtilisationStep> utilisation(const std::vector<JobRecord>& jobs, int hosts) {
    DUCTILE_EXPECT(!jobs.empty() && hosts > 0);
    std::map<double, int> changes;  // of the number of hosts held, by their time
    for (const auto& job : jobs)
        for (std::size_t i = 0; i < job.hosts.size(); ++i) {
            changes[job.hosts[i].time_s] += job.hosts[i].hosts;
            changes[end_of_entry(job, i)] -= job.hosts[i].hosts;
        }
    std::vector<UtilisationStep> steps{{first_submit_s(jobs), 0}};
    int held = 0;
    for (const auto& [time_s, change] : changes) {
        held += change;
        const double share = static_cast<double>(held) / hosts;
        if (time_s <= steps.back().time_s)
            steps.back().share = share;
        else if (share != steps.back().share)
            steps.push_back({time_s, share});
    }
    if (const double end_s = last_end_s(jobs); steps.back().time_s < end_s)
        steps.push_back({end_s, 0});
    return steps;
}

double integral_s(const std::vector<UtilisationStep>& steps) {
    double sum = 0;
    for (std::size_t i = 1; i < steps.size(); ++i)
        sum += steps[i - 1].share * (steps[i].time_s - steps[i - 1].time_s);
    return sum;
}

RunNumbers measure(const std::vector<JobRecord>& jobs, int hosts) {
    RunNumbers numbers;
    const double begin_s = first_submit_s(jobs);
    numbers.makespan_s = last_end_s(jobs) - begin_s;
    if (numbers.makespan_s > 0)
        numbers.mean_utilisation = integral_s(utilisation(jobs, hosts)) / numbers.makespan_s;
    numbers.all_submitted_s = std::ranges::max(jobs, {}, &JobRecord::submit_s).submit_s - begin_s;
    numbers.queue_empty_s = std::ranges::max(jobs, {}, &JobRecord::start_s).start_s - begin_s;
    measure_jobs(numbers, jobs);
    measure_resizes(numbers, jobs);
    return numbers;
}

RunNumbers medians_of(const std::vector<RunNumbers>& runs) {
    DUCTILE_EXPECT(!runs.empty());
    RunNumbers medians;
    for (const auto number :
         {&RunNumbers::makespan_s, &RunNumbers::mean_utilisation, &RunNumbers::all_submitted_s,
          &RunNumbers::queue_empty_s, &RunNumbers::failed_jobs, &RunNumbers::resizes,
          &RunNumbers::resize_time_s, &RunNumbers::overlapped_iterations})
        medians.*number = median_of(runs, number);
    std::vector<ResizeTimes> resizes;
    std::vector<ClassTimes> all_classes;
    std::map<std::string, std::vector<ClassTimes>> classes;
    for (const auto& run : runs) {
        if (run.resizes > 0) resizes.push_back(run.resize_median);
        all_classes.push_back(run.all_classes);
        for (const auto& one : run.classes) classes[one.name].push_back(one);
    }
    medians.resize_median = medians_of_resizes(resizes);
    medians.all_classes = merged("", all_classes);
    for (const auto& [name, repetitions] : classes)
        medians.classes.push_back(merged(name, repetitions));
    return medians;
}

}  // namespace ductile::workload
