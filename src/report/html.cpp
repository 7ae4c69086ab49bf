#include "report/html.hpp"

#include <nlohmann/json.hpp>

#include "report/page_parts.hpp"

namespace ductile::report {

namespace {

// JSON for a script element. A "</script>" inside a string must not end the element.
std::string embed_json(const nlohmann::json& json) {
    std::string safe;
    for (const char c : json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace))
        c == '<' ? safe += "\\u003c" : safe += c;
    return safe;
}

}  // namespace

std::string escape_html(const std::string& text) {
    static const std::map<char, std::string> escapes{
        {'<', "&lt;"}, {'>', "&gt;"}, {'&', "&amp;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
    std::string escaped;
    for (const char c : text) {
        const auto found = escapes.find(c);
        found == escapes.end() ? escaped += c : escaped += found->second;
    }
    return escaped;
}

std::string fill_in(const std::string& text, const std::map<std::string, std::string>& values) {
    std::string filled;
    std::size_t at = 0;
    for (;;) {
        const auto open = text.find("[[", at);
        const auto close = open == std::string::npos ? open : text.find("]]", open);
        if (close == std::string::npos) return filled + text.substr(at);
        filled += text.substr(at, open - at);
        filled += values.at(text.substr(open + 2, close - open - 2));
        at = close + 2;
    }
}

std::string section(const std::string& title, const std::string& content) {
    return "<section><h2>" + title + "</h2>" + content + "</section>\n";
}

std::string chart_place(const std::string& id) {
    return "<div class=\"chart\" id=\"" + id + "\"></div>";
}

std::string html_page(const std::string& title, const std::string& body,
                      const nlohmann::json& charts, const std::string& library) {
    return fill_in(page_parts::shell, {{"title", escape_html(title)},
                                       {"css", page_parts::css},
                                       {"body", body},
                                       {"charts", embed_json(charts)},
                                       {"library", library},
                                       {"js", page_parts::js}});
}

}  // namespace ductile::report
