// One HTML file with everything in it: style, charts and the library that draws them. Pure.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace ductile::report {

/// Text as it stands between tags or in an attribute: "a<b" gives "a&lt;b".
std::string escape_html(const std::string& text);

/// Puts the values in place of [[names]]; what they hold is not looked at again.
std::string fill_in(const std::string& text, const std::map<std::string, std::string>& values);

/// A page in the pages' style. `title` is text, `body` is HTML; `charts`: plotly figures by the id
/// of the element of class "chart" that each is drawn in; `library`: the text of plotly.min.js.
std::string html_page(const std::string& title, const std::string& body,
                      const nlohmann::json& charts, const std::string& library);

}  // namespace ductile::report
