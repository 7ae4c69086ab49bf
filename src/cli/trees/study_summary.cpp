#include "cli/trees/study_summary.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "plan/text_table.hpp"
#include "sim/study_comparison.hpp"

namespace ductile::cli {

namespace {

std::string percent(double deviation) {
    return fmt::format("{:+.1f} %", deviation * 100);
}

std::string place(const sim::LargestDeviation& deviation) {
    return fmt::format("{} of {}k", deviation.fraction, deviation.n / 1024);
}

}  // namespace

std::string study_summary(const sim::TreeStudy& study) {
    using plan::Align;
    plan::Table table({{"algorithm"},
                       {"messages", Align::right},
                       {"at"},
                       {"time", Align::right},
                       {"at"},
                       {"time on average", Align::right}});
    for (const auto& one : sim::deviations_of_algorithms(study.rows))
        table.add({std::string(to_string(one.algorithm)), percent(one.messages.deviation),
                   place(one.messages), percent(one.time.deviation), place(one.time),
                   percent(one.mean_time)});
    const auto cells = sim::fastest_of_each_cell(study.rows);
    const auto agreed =
        std::ranges::count_if(cells, [](auto& cell) { return cell.ours == cell.papers; });
    return fmt::format(
        "largest deviations from Table II of the paper\n{}"
        "the paper's fastest algorithm is the fastest here in {} of {} cells\n"
        "costs: latency {:.3f} us, overhead {:.3f} us, {:.5f} us a byte\n",
        table.text(), agreed, cells.size(), study.costs.latency_us, study.costs.overhead_us,
        study.costs.per_byte_us);
}

}  // namespace ductile::cli
