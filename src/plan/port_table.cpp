#include "plan/port_table.hpp"

#include <charconv>

#include "ductile/error.hpp"

namespace ductile::plan {

namespace {

// Takes the number before the next blank. Removes both from the line.
int take_number(std::string_view& line) {
    int value = 0;
    const auto* end = line.data() + line.size();
    const auto [rest, error] = std::from_chars(line.data(), end, value);
    if (error != std::errc() || rest == end || *rest != ' ' || value < 0)
        throw InputError("table of ports refused: a line does not begin with two numbers");
    line.remove_prefix(static_cast<std::size_t>(rest - line.data()) + 1);
    return value;
}

}  // namespace

const std::string& PortTable::port(int position, int round) const {
    const auto found = ports_.find({position, round});
    if (found == ports_.end())
        throw SystemError("cannot find the port on which new group " + std::to_string(position) +
                          " accepts in round " + std::to_string(round));
    return found->second;
}

std::string PortTable::to_text() const {
    std::string text;
    for (const auto& [at, port] : ports_)
        text += std::to_string(at.first) + " " + std::to_string(at.second) + " " + port + "\n";
    return text;
}

PortTable PortTable::of_text(std::string_view text) {
    PortTable table;
    while (!text.empty()) {
        const auto end = text.find('\n');
        if (end == text.npos)
            throw InputError("table of ports refused: its last line has no newline");
        auto line = text.substr(0, end);
        text.remove_prefix(end + 1);
        const int position = take_number(line);
        const int round = take_number(line);
        table.add(position, round, std::string(line));
    }
    return table;
}

}  // namespace ductile::plan
