#include "pmi/port.hpp"

#include <fmt/format.h>

#include <charconv>

namespace ductile::pmi {

std::optional<int> id_in(std::string_view line) {
    constexpr std::string_view begin = "cmd=initack pmiid=";
    if (!line.starts_with(begin)) return std::nullopt;
    line.remove_prefix(begin.size());
    line = line.substr(0, line.find_last_not_of(' ') + 1);
    int id = 0;
    const auto read = std::from_chars(line.data(), line.data() + line.size(), id);
    if (read.ec != std::errc() || read.ptr != line.data() + line.size()) return std::nullopt;
    return id;
}

std::string greeting(int size, int rank) {
    return fmt::format("cmd=initack rc=0\ncmd=set size={}\ncmd=set rank={}\ncmd=set debug=0", size,
                       rank);
}

}  // namespace ductile::pmi
