// One HTML file that contains everything: style, charts and the library that draws them. Pure.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace ductile::report {

/// Escapes text for use between tags or in an attribute: "a<b" gives "a&lt;b".
std::string escape_html(const std::string& text);

/// Replaces [[names]] by their values. Names inside a value are not replaced.
std::string fill_in(const std::string& text, const std::map<std::string, std::string>& values);

/// A part of a page, with a heading. `content` is HTML.
std::string section(const std::string& title, const std::string& content);

/// The place of the chart with this id.
std::string chart_place(const std::string& id);

/// A page in the common style. `title` is text, `body` is HTML. `charts`: plotly figures, by the id
/// of the element of class "chart" that shows each. `library`: the text of plotly.min.js.
std::string html_page(const std::string& title, const std::string& body,
                      const nlohmann::json& charts, const std::string& library);

}  // namespace ductile::report
