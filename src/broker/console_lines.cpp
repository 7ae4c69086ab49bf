#include "broker/console_lines.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ductile::broker {

namespace {

/// Cuts the first line off the text, with its end. With `at_returns`, a carriage return is an end.
std::string_view take_line(std::string_view& text, bool at_returns) {
    auto length = std::min(text.find_first_of(at_returns ? "\r\n" : "\n"), text.size());
    if (text.substr(length).starts_with("\r\n")) ++length;
    const auto line = text.substr(0, std::min(length + 1, text.size()));
    text.remove_prefix(line.size());
    return line;
}

}  // namespace

std::optional<ConsoleLines::Open>& ConsoleLines::open_on(int stream) {
    return open_.at(setup_.same_place || stream == 1 ? 0 : 1);
}

std::string ConsoleLines::tag_of(const core::Process& writer) const {
    if (!setup_.tag) return {};
    return fmt::format("[g{}.{}] ", writer.group.value, writer.rank.value);
}

std::string ConsoleLines::of_rank(const core::Process& writer, int stream, std::string_view text) {
    const bool is_partial = setup_.partial.in(stream);
    const auto tag = tag_of(writer);
    if (!is_partial && tag.empty()) return std::string(text);
    auto& open = open_on(stream);
    std::string out;
    if (is_partial && open && open->writer != writer) {
        out += '\n';
        open.reset();
    }
    while (!text.empty()) {
        const auto line = take_line(text, is_partial);
        // Programs that show progress begin with it, too. At the begin of a line it does nothing.
        if (is_partial && line == "\r" && (!open || open->is_at_begin)) {
            out += line;
            continue;
        }
        const bool continues = is_partial && open && (!open->is_at_begin || line == "\n");
        if (!continues) out += tag;
        out += line;
        open.reset();
        if (is_partial && !line.ends_with('\n')) open = Open{writer, line.ends_with('\r')};
    }
    return out;
}

std::string ConsoleLines::of_ductile(int stream, std::string_view lines) {
    std::string out;
    if (setup_.partial.in(stream) && open_on(stream)) out += '\n';
    open_on(stream).reset();
    return out.append(lines);
}

}  // namespace ductile::broker
