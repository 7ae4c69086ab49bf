// The page: one HTML file with everything in it.
#pragma once

#include <optional>
#include <string>

#include "report/field_picture.hpp"
#include "report/timeline.hpp"

namespace ductile::report {

/// `library`: the text of plotly.min.js, which goes into the page. Text of the timeline is escaped:
/// it may be anything.
std::string render_page(const Timeline& timeline, const std::optional<FieldPicture>& field,
                        const std::string& library);

/// Text as it stands between tags or in an attribute: "a<b" gives "a&lt;b".
std::string escape_html(const std::string& text);

}  // namespace ductile::report
