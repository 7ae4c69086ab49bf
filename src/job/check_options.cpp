#include "job/check_options.hpp"

#include <string>

#include "ductile/error.hpp"

namespace ductile {

void check_options(const Options& o) {
    const auto refuse = [](const std::string& why) {
        throw InputError("ductile::Options refused: " + why);
    };
    if (o.min < 0 || o.max < 0 || o.preferred < 0 || o.multiple < 0) refuse("a size is negative");
    if (o.inhibitor_points < 0 || o.inhibitor.count() < 0) refuse("the inhibitor is negative");
    if (o.max != 0 && o.min > o.max)
        refuse("min " + std::to_string(o.min) + " is above max " + std::to_string(o.max));
    if (o.preferred != 0 && (o.preferred < o.min || (o.max != 0 && o.preferred > o.max)))
        refuse("preferred " + std::to_string(o.preferred) + " is outside min and max");
}

}  // namespace ductile
