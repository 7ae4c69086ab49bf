#include "cli/demo/narration.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "core/counted.hpp"
#include "report/phases.hpp"
#include "wire/printable.hpp"

namespace ductile::cli::demo {

namespace {

std::string list_phases(const std::vector<report::Phase>& phases, report::During during) {
    std::string text;
    for (const auto& phase : phases)
        if (phase.during == during && phase.seconds > 0)
            text += fmt::format("{}{} {:.1f}", text.empty() ? "" : ", ", phase.name,
                                phase.seconds * 1e3);
    return text;
}

}  // namespace

void Narration::print(const std::string& text) const {
    fmt::print("[{:5.1f} s] {}\n", seconds(), wire::printable(text));
    std::fflush(stdout);
}

void Narration::more(const std::string& text) const {
    fmt::print("          {}\n", wire::printable(text));
    std::fflush(stdout);
}

double Narration::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
}

std::string pace_line(int ranks, double iteration_s, const std::vector<std::string>& hosts) {
    return fmt::format("{:7} on {:7}  {:7.2f} ms an iteration   {}", core::counted(ranks, "rank"),
                       core::counted(hosts.size(), "host"), iteration_s * 1e3, joined_names(hosts));
}

std::vector<std::string> cost_lines(const report::Resize& resize) {
    const auto phases = report::phases_of(resize);
    return {
        fmt::format("in the background  {} ms", list_phases(phases, report::During::background)),
        fmt::format("waiting            {} ms (the longest wait of a rank: {:.1f} ms)",
                    list_phases(report::waits_of(resize), report::During::waiting),
                    resize.stall_s * 1e3),
        fmt::format("in all             {:.0f} ms; {:.1f} MB of data moved", resize.total_s * 1e3,
                    static_cast<double>(resize.bytes_sent) * 1e-6)};
}

std::string joined_names(const std::vector<std::string>& names) {
    std::string text;
    for (const auto& name : names) text += (text.empty() ? "" : " ") + name;
    return text;
}

}  // namespace ductile::cli::demo
