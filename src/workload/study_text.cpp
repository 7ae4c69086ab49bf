#include "workload/study_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ductile/error.hpp"

namespace ductile::workload {

namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_key_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '_' ||
           c == '-' || c == '.';
}

// The end of the string that begins at `begin`. A string without a closing quote ends with its line
// or with the text.
std::size_t end_of_string(std::string_view text, std::size_t begin) {
    const char quote = text[begin];
    for (auto i = begin + 1; i < text.size() && text[i] != '\n'; ++i) {
        if (text[i] == quote) return i + 1;
        if (text[i] == '\\' && quote == '"' && text.substr(i, 2) != "\\\n") ++i;
    }
    return std::min(text.find('\n', begin), text.size());
}

// The length of "[name]" or "[[name]]" at the beginning of the text; 0 if it does not begin so.
std::size_t length_of_header(std::string_view text) {
    const std::size_t brackets = text.starts_with("[[") ? 2 : 1;
    auto end = brackets;
    while (end < text.size() && is_key_character(text[end])) ++end;
    if (end == brackets || text[brackets] == '.') return 0;
    if (text.substr(end, brackets) != std::string(brackets, ']')) return 0;
    return end + brackets;
}

}  // namespace

void check_study_text(std::string_view text, const std::string& file) {
    int line = 1;
    bool in_list = false;
    bool line_begins = true;  // only blanks so far
    bool in_value = false;
    const auto refuse = [&](const char* why) {
        throw InputError(fmt::format("{}:{}: {}", file, line, why));
    };
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        auto end = i + 1;
        if (c == '#') {
            end = std::min(text.find('\n', i), text.size());
        } else if (c == '"' || c == '\'') {
            if (text.substr(i, 3) == std::string(3, c)) refuse("a string has several lines");
            end = end_of_string(text, i);
        } else if (c == '[' && line_begins && !in_list) {
            end = i + length_of_header(text.substr(i));
            if (end == i) refuse("a header is not [name] or [[name]]");
        } else if (in_list && (c == '[' || c == '{' || c == '}')) {
            refuse("a list or table is in a list; write classes as tables [[classes]]");
        } else if (c == '[') {
            in_list = true;
        } else if (c == ']') {
            in_list = false;
        } else if ((in_value || in_list) && (c == ':' || (c == '-' && is_digit(text[i - 1])))) {
            refuse("a value is a date or a time; a string needs quotes");
        } else if ((c < ' ' || c > '~') && c != '\n' && c != '\t' && c != '\r') {
            refuse("a character is not printable ASCII");
        }
        if (c == '\n') ++line;
        line_begins = c == '\n' || (line_begins && (c == ' ' || c == '\t'));
        in_value = c != '\n' && (in_value || c == '=');
        i = end;
    }
}

}  // namespace ductile::workload
