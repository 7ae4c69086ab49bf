// Whether text is well-formed markup: every element that is opened is closed, in order.
#pragma once

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

namespace ductile::report {

/// What is wrong with the first faulty element; empty if none is faulty.
inline std::string fault_in_markup(const std::string& text) {
    static const std::regex tag(
        R"(<(/?)([A-Za-z][A-Za-z0-9]*)((?:\s+[A-Za-z][A-Za-z0-9:]*="[^"<]*")*)\s*(/?)>)");
    std::vector<std::string> open;
    std::size_t tags = 0;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), tag);
         it != std::sregex_iterator(); ++it, ++tags) {
        const std::string name = (*it)[2];
        if ((*it)[1].length() > 0) {
            if (open.empty() || open.back() != name) return "</" + name + "> closes nothing";
            open.pop_back();
        } else if ((*it)[4].length() == 0) {
            open.push_back(name);
        }
    }
    if (!open.empty()) return "<" + open.back() + "> is not closed";
    const auto angles = static_cast<std::size_t>(std::count(text.begin(), text.end(), '<'));
    return angles == tags ? "" : "a < begins no element";
}

}  // namespace ductile::report
