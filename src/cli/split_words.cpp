#include "cli/split_words.hpp"

#include <set>
#include <utility>

#include "ductile/error.hpp"

namespace ductile::cli {

namespace {

/// The characters that a backslash escapes within double quotes.
const std::set<char> escaped{'"', '\\', '$', '`'};

}  // namespace

std::vector<std::string> split_words(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    bool inside = false;
    char quote = '\0';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quote != '\0') {
            const bool is_escape =
                quote == '"' && c == '\\' && i + 1 < text.size() && escaped.contains(text[i + 1]);
            if (c == quote)
                quote = '\0';
            else
                word += is_escape ? text[++i] : c;
        } else if (c == '\'' || c == '"') {
            quote = c;
            inside = true;
        } else if (c == '\\' && i + 1 < text.size()) {
            word += text[++i];
            inside = true;
        } else if (c == ' ' || c == '\t') {
            if (inside) words.push_back(std::exchange(word, {}));
            inside = false;
        } else {
            word += c;
            inside = true;
        }
    }
    if (quote != '\0') throw InputError("a quote is not closed in: " + text);
    if (inside) words.push_back(word);
    return words;
}

}  // namespace ductile::cli
