#include "job/check_options.hpp"

#include <string>

#include "core/counted.hpp"
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

void check_memory(const Schema& schema) {
    for (const auto& [array, memory] : schema.memory()) {
        const auto refuse = [&name = array](const std::string& why) {
            throw InputError("the memory for array '" + name + "' (ductile::Schema) " + why);
        };
        if (!memory->allocate || !memory->free) refuse("needs both `allocate` and `free`");
        if (!memory->copy_out != !memory->copy_in)
            refuse("has one of `copy_out` and `copy_in`, and needs both or neither");
    }
}

void check_size(const Options& o, int ranks) {
    const auto refuse = [ranks](const std::string& limit) {
        throw InputError("the program runs on " + limit +
                         " (ductile::Options) and was started on " + std::to_string(ranks) +
                         "; say another number with -n");
    };
    if (ranks < o.min) refuse("at least " + core::counted(o.min, "rank"));
    if (o.max != 0 && ranks > o.max) refuse("at most " + core::counted(o.max, "rank"));
    if (o.multiple != 0 && ranks % o.multiple != 0)
        refuse("multiples of " + core::counted(o.multiple, "rank"));
}

}  // namespace ductile
