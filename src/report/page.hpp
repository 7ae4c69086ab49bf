// The page: one HTML file with everything in it.
#pragma once

#include <string>
#include <vector>

#include "report/field_picture.hpp"
#include "report/timeline.hpp"

namespace ductile::report {

/// `library`: the text of plotly.min.js, which goes into the page. Text of the timeline is escaped:
/// it may be anything. `fields`: pictures, in the order of their steps.
std::string render_page(const Timeline& timeline, const std::vector<FieldPicture>& fields,
                        const std::string& library);

}  // namespace ductile::report
