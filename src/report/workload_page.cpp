#include "report/workload_page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/contract.hpp"
#include "report/html.hpp"
#include "report/workload_charts.hpp"
#include "workload/mann_whitney.hpp"

namespace ductile::report {
namespace {

using workload::JobRecord;
using workload::RunNumbers;
using workload::Study;

/// A row of Tables 4 and 5 of dmr-slurm-mpdata.
struct PaperRow {
    std::string_view name;
    double makespan_s, utilisation;
    std::optional<double> resize_time_s;
    std::optional<int> overlapped_iterations;
};
const std::vector<PaperRow>& paper_rows() {
    static const std::vector<PaperRow> rows{{"static", 4567, 75.89, {}, {}},
                                            {"baseline", 2655, 96.74, 189.43, 0},
                                            {"merge", 2685, 96.01, 112.88, 0},
                                            {"baseline-background", 2778, 94.60, 678.73, 197},
                                            {"merge-background", 2790, 95.48, 428.78, 187}};
    return rows;
}

const PaperRow* paper_row(const std::string& name) {
    const auto row = std::ranges::find(paper_rows(), name, &PaperRow::name);
    return row == paper_rows().end() ? nullptr : &*row;
}

std::vector<JobRecord> in_study_time(std::vector<JobRecord> jobs, double scale) {
    for (auto& job : jobs) {
        for (double* time : {&job.submit_s, &job.start_s, &job.end_s}) *time /= scale;
        for (auto& held : job.hosts) held.time_s /= scale;
        for (auto& resize : job.resizes)
            for (double* time :
                 {&resize.total_s, &resize.spawn_s, &resize.redistribution_s, &resize.stall_s})
                *time /= scale;
    }
    return jobs;
}

std::vector<ConfigurationNumbers> numbers_of(const Study& study,
                                             const std::vector<ConfigurationRuns>& runs) {
    std::vector<ConfigurationNumbers> all;
    for (const auto& configuration : runs) {
        ConfigurationNumbers numbers{configuration.name, {}, {}};
        for (const auto& jobs : configuration.repetitions)
            numbers.runs.push_back(
                workload::measure(in_study_time(jobs, study.time_scale), study.hosts));
        numbers.median = workload::medians_of(numbers.runs);
        all.push_back(std::move(numbers));
    }
    return all;
}

std::string table(const std::string& head, const std::string& rows) {
    return "<div class=\"wide\"><table><tr>" + head + "</tr>" + rows + "</table></div>";
}

/// The p-value of a difference between two configurations. A dash if one of them has only one run,
/// or if they are the same.
std::string difference(const ConfigurationNumbers& one, const ConfigurationNumbers& reference,
                       double RunNumbers::*what) {
    if (one.runs.size() < 2 || reference.runs.size() < 2 || &one == &reference) return "–";
    std::vector<double> first, second;
    for (const auto& run : one.runs) first.push_back(run.*what);
    for (const auto& run : reference.runs) second.push_back(run.*what);
    return fmt::format("{:.3f}", workload::mann_whitney(first, second).p);
}

std::string makespan_rows(const std::vector<ConfigurationNumbers>& numbers) {
    const auto& first = numbers.front();
    const auto* paper_first = paper_row(first.name);
    std::string rows;
    for (const auto& one : numbers) {
        const auto* paper = paper_row(one.name);
        const auto paper_ratio =
            paper != nullptr && paper_first != nullptr
                ? fmt::format("{:.2f}", paper->makespan_s / paper_first->makespan_s)
                : "–";
        rows += fmt::format(
            "<tr><td>{}</td><td>{}</td><td>{:.0f} s</td><td>{:.2f}</td><td>{}</td><td>{}</td>"
            "<td>{:.1f} %</td><td>{}</td><td>{:.0f}</td></tr>",
            one.name, one.runs.size(), one.median.makespan_s,
            one.median.makespan_s / first.median.makespan_s, paper_ratio,
            difference(one, first, &RunNumbers::makespan_s), one.median.mean_utilisation * 100,
            paper != nullptr ? fmt::format("{:.1f} %", paper->utilisation) : "–",
            one.median.failed_jobs);
    }
    return rows;
}

std::string makespan_section(const std::vector<ConfigurationNumbers>& numbers) {
    return section(
        "Makespan and utilisation",
        chart_place("makespan") +
            table("<th>configuration</th><th>runs</th><th>makespan</th><th>over " +
                      escape_html(numbers.front().name) +
                      "</th><th>this ratio in the paper</th><th>p</th><th>utilisation</th>"
                      "<th>in the paper</th><th>failed jobs</th>",
                  makespan_rows(numbers)) +
            "<p>Medians over the runs. p: the likelihood that chance alone gives a difference "
            "from the first row that is at least so large (Mann-Whitney U, two-sided).</p>");
}

std::string job_times_section(const std::vector<ConfigurationNumbers>& numbers) {
    std::string rows;
    for (const auto& one : numbers)
        for (const auto& of_class : one.median.classes)
            rows += fmt::format(
                "<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.0f}</td><td>{:.0f}</td><td>{:.0f}</td>"
                "</tr>",
                one.name, escape_html(of_class.name), of_class.jobs, of_class.median.wait_s,
                of_class.median.run_s, of_class.median.turnaround_s);
    return section("Times of jobs",
                   "<h3>Wait</h3>" + chart_place("wait") + "<h3>Run</h3>" + chart_place("run") +
                       "<h3>Turnaround</h3>" + chart_place("turnaround") +
                       table("<th>configuration</th><th>class</th><th>jobs</th><th>wait, s</th>"
                             "<th>run, s</th><th>turnaround, s</th>",
                             rows) +
                       "<p>Medians over the jobs of a class, then over the runs.</p>");
}

/// t_i / t_a of Table 5: the time that the iterations during resizes in the background should take
/// by the study's file, divided by the time that they took. The sums over all resizes are divided,
/// because few iterations overlap with a single resize. nullopt if no iteration overlapped.
std::optional<double> iteration_speedup(const Study& study, const ConfigurationRuns& runs) {
    double expected_s = 0, taken_s = 0;
    for (const auto& jobs : runs.repetitions)
        for (const auto& job : jobs) {
            const auto job_class =
                std::ranges::find(study.classes, job.class_name, &workload::JobClass::name);
            if (job_class == study.classes.end()) continue;
            for (const auto& resize : job.resizes) {
                const auto time = job_class->iteration_s.find(resize.old_hosts);
                if (time == job_class->iteration_s.end()) continue;
                expected_s += time->second * study.time_scale * resize.overlapped_iterations;
                taken_s += resize.total_s - resize.stall_s;
            }
        }
    if (expected_s == 0 || taken_s <= 0) return std::nullopt;
    return expected_s / taken_s;
}

std::string resize_section(const Study& study, const std::vector<ConfigurationRuns>& runs,
                           const std::vector<ConfigurationNumbers>& numbers) {
    std::string rows;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const auto& one = numbers.at(i);
        const auto speedup = iteration_speedup(study, runs.at(i));
        const auto* paper = paper_row(one.name);
        const auto& resize = one.median.resize_median;
        rows += fmt::format(
            "<tr><td>{}</td><td>{:.0f}</td><td>{:.2f}</td><td>{:.3f}</td><td>{:.3f}</td>"
            "<td>{:.2f}</td><td>{:.1f}</td><td>{}</td><td>{:.0f}</td><td>{}</td><td>{}</td></tr>",
            one.name, one.median.resizes, resize.spawn_s, resize.redistribution_s, resize.stall_s,
            resize.total_s, one.median.resize_time_s,
            paper != nullptr && paper->resize_time_s ? fmt::format("{:.1f}", *paper->resize_time_s)
                                                     : "–",
            one.median.overlapped_iterations,
            paper != nullptr && paper->overlapped_iterations
                ? fmt::format("{}", *paper->overlapped_iterations)
                : "–",
            speedup ? fmt::format("{:.2f}", *speedup) : "–");
    }
    return section(
        "Resizes",
        chart_place("resizes") +
            table("<th>configuration</th><th>resizes</th><th>start of ranks, s</th>"
                  "<th>redistribution, s</th><th>stall, s</th><th>total, s</th><th>all resizes, "
                  "s</th>"
                  "<th>in the paper</th><th>overlapped iterations</th><th>in the paper</th>"
                  "<th>t<sub>i</sub> / t<sub>a</sub></th>",
                  rows) +
            "<p>The first four times are medians over resizes. The stall is the time that the "
            "program waited. t<sub>i</sub> / t<sub>a</sub> is the speed of the iterations during "
            "resizes in the background: 1 is their usual speed.</p>");
}

std::string method_section(const Study& study) {
    return section(
        "How it was made",
        fmt::format(
            "<p>{} jobs on {} hosts, the same list in every run (seed {}). A rigid job gets the "
            "largest number of hosts at which its efficiency is at least {}. A malleable job gets "
            "{}, and {} resizes it. One second of the study takes {} s; all "
            "times on this page, those of resizes too, are real seconds "
            "divided by {}. Slurm counts in whole seconds.</p>",
            study.jobs, study.hosts, study.seed, study.min_efficiency,
            study.moldable ? "as many hosts as are idle, up to that number" : "its smallest number",
            study.site.empty() ? "the policy <i>natural</i>" : "the <i>ductiled</i> of the site",
            study.time_scale, study.time_scale));
}

}  // namespace

std::string render_workload(const Study& study, const std::vector<ConfigurationRuns>& runs,
                            const std::string& library) {
    DUCTILE_EXPECT(!runs.empty());
    const auto numbers = numbers_of(study, runs);
    const nlohmann::json charts{
        {"makespan", makespan_chart(numbers)},
        {"utilisation", utilisation_chart(study, runs)},
        {"wait", job_times_chart(numbers, &workload::JobTimes::wait_s)},
        {"run", job_times_chart(numbers, &workload::JobTimes::run_s)},
        {"turnaround", job_times_chart(numbers, &workload::JobTimes::turnaround_s)},
        {"resizes", resize_times_chart(numbers)}};
    const std::string body =
        "<header><h1>A workload with and without malleable jobs</h1><p class=\"lead\">The study of "
        "dmr-slurm-mpdata (section 5) again: the same jobs, with fixed sizes and with sizes that a "
        "policy changes.</p></header>\n" +
        makespan_section(numbers) +
        section("Utilisation over time",
                "<p>The first run of each configuration.</p>" + chart_place("utilisation")) +
        job_times_section(numbers) + resize_section(study, runs, numbers) + method_section(study);
    return html_page("Ductile: a workload study", body, charts, library);
}

std::string workload_csv(const std::vector<ConfigurationRuns>& runs) {
    std::string text =
        "configuration,repetition,job,class,submit_s,start_s,end_s,succeeded,host_seconds,"
        "resizes,resize_time_s\n";
    for (const auto& configuration : runs)
        for (std::size_t i = 0; i < configuration.repetitions.size(); ++i)
            for (const auto& job : configuration.repetitions.at(i)) {
                double resize_time_s = 0;
                for (const auto& resize : job.resizes) resize_time_s += resize.total_s;
                text += fmt::format("{},{},{},{},{:.0f},{:.0f},{:.0f},{},{:.0f},{},{:.3f}\n",
                                    configuration.name, i + 1, job.number.value, job.class_name,
                                    job.submit_s, job.start_s, job.end_s, job.succeeded ? 1 : 0,
                                    workload::host_seconds(job), job.resizes.size(), resize_time_s);
            }
    return text;
}

std::string workload_summary(const Study& study, const std::vector<ConfigurationRuns>& runs) {
    auto text = fmt::format("{:<20} {:>4} {:>11} {:>12} {:>8} {:>12}\n", "configuration", "runs",
                            "makespan s", "utilisation", "resizes", "turnaround s");
    for (const auto& one : numbers_of(study, runs))
        text +=
            fmt::format("{:<20} {:>4} {:>11.1f} {:>10.1f} % {:>8.0f} {:>12.1f}\n", one.name,
                        one.runs.size(), one.median.makespan_s, one.median.mean_utilisation * 100,
                        one.median.resizes, one.median.all_classes.median.turnaround_s);
    return text;
}

}  // namespace ductile::report
