#include "report/page.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/charts.hpp"
#include "report/html.hpp"
#include "report/page_parts.hpp"
#include "report/phases.hpp"

namespace ductile::report {

namespace {

std::string tile(const std::string& value, const std::string& what) {
    return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>", value, what);
}

std::string tiles(const Timeline& timeline) {
    int most = timeline.ranks;
    int least = timeline.ranks;
    double waited_s = 0;
    for (const auto& resize : timeline.resizes) {
        most = std::max(most, resize.to);
        least = std::min(least, resize.to);
        waited_s += resize.stall_s;
    }
    const double ran_s = timeline.ended_at_s - timeline.running_at_s;
    return tile(fmt::format("{} – {}", least, most), "ranks, fewest and most") +
           tile(std::to_string(timeline.resizes.size()), "resizes while it ran") +
           tile(fmt::format("{:.0f} ms", waited_s * 1e3), "that the program waited in total") +
           tile(fmt::format("{:.1f} s", ran_s), "that it ran");
}

std::string checks(const Timeline& timeline) {
    if (timeline.checks.empty()) return "";
    std::string items;
    for (const auto& check : timeline.checks)
        items += fmt::format("<li{}><b>{}</b>: {}</li>", check.ok ? "" : " class=\"failed\"",
                             escape_html(check.name), escape_html(check.text));
    return "<section><h2>What was checked</h2><ul class=\"checks\">" + items + "</ul></section>";
}

std::string numbers(const Timeline& timeline) {
    std::string table = "<table><tr><th>resize</th><th>outcome</th><th>hosts</th>";
    for (const auto& phase : all_phases()) table += "<th>" + phase.name + "</th>";
    table += "<th>waited</th><th>total</th><th>moved</th></tr>";
    for (const auto& resize : timeline.resizes) {
        table += fmt::format("<tr><td>{} → {} ranks</td><td>{}</td><td>{} → {}</td>", resize.from,
                             resize.to, escape_html(resize.outcome), resize.hosts_before.size(),
                             resize.hosts_after.size());
        for (const auto& phase : phases_of(resize))
            table += phase.seconds > 0 ? fmt::format("<td>{:.1f} ms</td>", phase.seconds * 1e3)
                                       : "<td>–</td>";
        table += fmt::format("<td>{:.1f} ms</td><td>{:.1f} ms</td><td>{:.1f} MB</td></tr>",
                             resize.stall_s * 1e3, resize.total_s * 1e3,
                             static_cast<double>(resize.bytes_sent) * 1e-6);
    }
    return table + "</table>";
}

std::string facts(const Timeline& timeline) {
    std::string program;
    for (const auto& word : timeline.program) program += (program.empty() ? "" : " ") + word;
    std::string rows;
    const auto row = [&](const std::string& what, const std::string& value) {
        rows +=
            fmt::format("<tr><td>{}</td><td>{}</td></tr>", escape_html(what), escape_html(value));
    };
    row("job", timeline.job);
    row("program", program);
    row("MPI", timeline.mpi);
    row("hosts", timeline.hosts_from);
    for (const auto& [what, value] : timeline.machine) row(what, value);
    return "<table class=\"facts\">" + rows + "</table>";
}

std::string field_id(std::size_t place) {
    return place == 0 ? "field" : "field" + std::to_string(place);
}

std::string field_words(const FieldPicture& field) {
    if (field.kind == FieldKind::advected)
        return fmt::format(
            "The field on {} x {} cells after {} steps, seen along the third dimension: the "
            "largest "
            "value of each row.",
            field.grid_rows, field.grid_cols, field.step);
    return fmt::format(
        "What the program computed: the plate of {} x {} points after {} steps, here as {} x {} "
        "points.",
        field.grid_rows, field.grid_cols, field.step, field.rows, field.cols);
}

std::string field_section(const std::vector<FieldPicture>& fields) {
    if (fields.empty()) return "";
    std::string section = fmt::format(
        "<section><h2>{}</h2><p>Its rows moved between processes at every resize; there is no "
        "seam.</p>",
        fields.front().kind == FieldKind::advected ? "The advected field"
                                                   : "The temperature field");
    for (std::size_t i = 0; i < fields.size(); ++i)
        section += fmt::format("<p>{}</p><div class=\"chart field\" id=\"{}\"></div>",
                               field_words(fields[i]), field_id(i));
    return section + "</section>";
}

std::string program_name(const Timeline& timeline) {
    if (timeline.program.empty()) return "?";
    const auto& path = timeline.program.front();
    return path.substr(path.rfind('/') + 1);
}

}  // namespace

std::string render_page(const Timeline& timeline, const std::vector<FieldPicture>& fields,
                        const std::string& library) {
    nlohmann::json charts{{"ranks", ranks_chart(timeline)},
                          {"hosts", hosts_chart(timeline)},
                          {"iterations", iteration_chart(timeline)},
                          {"phases", phases_chart(timeline)},
                          {"waits", waits_chart(timeline)}};
    for (std::size_t i = 0; i < fields.size(); ++i) charts[field_id(i)] = field_chart(fields[i]);
    const auto count = timeline.resizes.size();
    std::string cores;
    for (const auto& [what, value] : timeline.machine)
        if (what == "cores")
            cores =
                "All hosts here share the " + escape_html(value) +
                " cores of one machine, so more ranks than cores do not make the program faster.";
    const auto body =
        fill_in(page_parts::job, {{"program", escape_html(program_name(timeline))},
                                  {"count", count == 1 ? "once" : std::to_string(count) + " times"},
                                  {"tiles", tiles(timeline)},
                                  {"checks", checks(timeline)},
                                  {"cores", cores},
                                  {"field", field_section(fields)},
                                  {"table", numbers(timeline)},
                                  {"machine", facts(timeline)}});
    return html_page("Ductile: job " + timeline.job, body, charts, library);
}

}  // namespace ductile::report
