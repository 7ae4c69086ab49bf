#include "plan/plan_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "plan/rank_order.hpp"

namespace ductile::plan {

namespace {

enum class Align { left, right };

/// Rows of text under a heading, each column as wide as its widest cell.
class Table {
  public:
    struct Column {
        std::string name;
        Align align = Align::left;
    };
    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

    [[nodiscard]] std::string text() const {
        std::vector<std::string> heading;
        for (const auto& column : columns_) heading.push_back(column.name);
        std::string out = line(heading);
        for (const auto& row : rows_) out += line(row);
        return out;
    }

  private:
    [[nodiscard]] std::size_t width(std::size_t column) const {
        auto widest = columns_[column].name.size();
        for (const auto& row : rows_) widest = std::max(widest, row[column].size());
        return widest;
    }

    [[nodiscard]] std::string line(const std::vector<std::string>& cells) const {
        std::string out;
        for (std::size_t at = 0; at < cells.size(); ++at)
            out += columns_[at].align == Align::right
                       ? fmt::format("{}{:>{}}", at > 0 ? "  " : "", cells[at], width(at))
                       : fmt::format("{}{:<{}}", at > 0 ? "  " : "", cells[at], width(at));
        out.erase(out.find_last_not_of(' ') + 1);
        return out + "\n";
    }

    std::vector<Column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

std::string rank_range(int first, int count) {
    return count == 1 ? fmt::format("{}", first) : fmt::format("{}-{}", first, first + count - 1);
}

std::string host_name(const core::Allocation& allocation, core::HostIndex host) {
    const bool known = host.value >= 0 && host.value < static_cast<int>(allocation.hosts.size());
    return known ? allocation.at(host).name : fmt::format("host {}", host.value);
}

std::string rounds_table(const ConnectRounds& rounds,
                         const std::function<std::string(int)>& name_of) {
    Table table({{"round", Align::right}, {"accepts"}, {"connects"}, {"merged"}});
    for (const auto& [round, acceptor, connector] : rounds.meetings) {
        std::vector<std::string> merged;
        for (const int group : set_before(rounds, acceptor, round + 1))
            merged.push_back(name_of(group));
        table.add({fmt::format("{}", round), name_of(acceptor), name_of(connector),
                   fmt::format("{}", fmt::join(merged, " "))});
    }
    return table.text();
}

std::string group_name(core::GroupId id) {
    return fmt::format("g{}", id.value);
}

std::string plural(std::size_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace

std::string to_table(const LaunchPlan& plan, const core::Layout& before,
                     const core::Allocation& allocation) {
    Table table({{"host"},
                 {"slots", Align::right},
                 {"running", Align::right},
                 {"free", Align::right},
                 {"group"},
                 {"starts", Align::right},
                 {"ranks"}});
    const auto free = to_start(before, allocation);
    for (std::size_t at = 0; at < allocation.hosts.size(); ++at) {
        const core::HostIndex host{static_cast<int>(at)};
        const auto starts = std::find_if(plan.added.begin(), plan.added.end(),
                                         [host](const core::Group& g) { return g.host == host; });
        std::vector<std::string> row{
            allocation.hosts[at].name, fmt::format("{}", allocation.hosts[at].slots),
            fmt::format("{}", before.ranks_on(host)), fmt::format("{}", free[at])};
        if (starts == plan.added.end()) {
            row.insert(row.end(), {"-", "0", "-"});
        } else {
            const auto first = final_rank(before, plan.added, starts->id, core::Rank{0});
            row.insert(row.end(), {group_name(starts->id), fmt::format("{}", starts->ranks),
                                   rank_range(first.value, starts->ranks)});
        }
        table.add(std::move(row));
    }
    std::string out =
        fmt::format("expand {} -> {} ranks, {}\n", before.size(), before.with(plan.added).size(),
                    plural(plan.added.size(), "new group"));
    out += table.text();
    if (!plan.rounds.meetings.empty())
        out += rounds_table(plan.rounds, [&](int position) {
            return group_name(plan.added.at(static_cast<std::size_t>(position)).id);
        });
    return out;
}

std::string to_table(const ShrinkPlan& plan, const core::Layout& before,
                     const core::Allocation& allocation) {
    Table table({{"group"}, {"host"}, {"ranks"}, {"leaves"}, {"ranks after"}});
    for (const auto& group : before.groups) {
        const bool stays = plan.after.find(group.id) != nullptr;
        table.add({group_name(group.id), host_name(allocation, group.host),
                   rank_range(before.first_rank(group.id).value, group.ranks), stays ? "no" : "yes",
                   stays ? rank_range(plan.after.first_rank(group.id).value, group.ranks) : "-"});
    }
    std::vector<std::string> freed;
    for (const auto host : before.hosts())
        if (plan.after.ranks_on(host) == 0) freed.push_back(host_name(allocation, host));
    return fmt::format("shrink {} -> {} ranks, {} leave{}\n", before.size(), plan.after.size(),
                       plural(plan.leaving.size(), "group"), plan.leaving.size() == 1 ? "s" : "") +
           table.text() +
           fmt::format("free afterwards: {}\n",
                       freed.empty() ? "none" : fmt::format("{}", fmt::join(freed, " ")));
}

std::string to_table(const ConnectRounds& rounds) {
    return rounds_table(rounds, [](int position) { return fmt::format("{}", position); });
}

}  // namespace ductile::plan
