// The page of a job: one HTML file that contains everything.
#pragma once

#include <string>
#include <vector>

#include "report/field_picture.hpp"
#include "report/timeline.hpp"

namespace ductile::report {

/// `library`: the text of plotly.min.js, which goes into the page. `fields`: pictures, in the order
/// of their steps. Text of the timeline is escaped, so any text is safe.
std::string render_page(const Timeline& timeline, const std::vector<FieldPicture>& fields,
                        const std::string& library);

}  // namespace ductile::report
