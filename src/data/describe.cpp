#include "data/describe.hpp"

namespace ductile::data {

std::string describe(const ArraySpec& spec) {
    if (spec.kind == Elements::records) return "records of " + spec.type;
    const std::string elements = spec.kind == Elements::rows ? " rows of " : " elements of ";
    auto text = std::to_string(spec.elements) + elements + std::to_string(spec.width) + " x " +
                spec.type + ", by '" + spec.rule + "'";
    if (spec.halo != Halo{})
        text += ", with a halo of " + std::to_string(spec.halo.before) + " and " +
                std::to_string(spec.halo.after);
    if (spec.frozen) text += ", frozen";
    if (!spec.moving.empty()) {
        text += ", of which bytes";
        for (const auto& stretch : spec.moving)
            text += " " + std::to_string(stretch.offset) + "-" + std::to_string(stretch.end() - 1);
        text += " move";
    }
    return text;
}

}  // namespace ductile::data
