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

}  // namespace ductile::report
