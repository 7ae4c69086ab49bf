#include "job/check_options.hpp"

#include <cstdint>
#include <string>

#include "core/counted.hpp"
#include "ductile/error.hpp"

namespace ductile {

void check_options(const Options& o) {
    const auto refuse = [](const std::string& why) {
        throw InputError("ductile::Options refused: " + why);
    };
    const auto expect_not_negative = [&refuse](const std::string& name, std::int64_t value) {
        if (value < 0) refuse(name + " is " + std::to_string(value) + "; it must be 0 or more");
    };
    expect_not_negative("min", o.min);
    expect_not_negative("max", o.max);
    expect_not_negative("preferred", o.preferred);
    expect_not_negative("multiple", o.multiple);
    expect_not_negative("inhibitor_points", o.inhibitor_points);
    expect_not_negative("inhibitor (in milliseconds)", o.inhibitor.count());
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
        if (memory->device != Device::none && !memory->copy_out)
            refuse("is on a device, and needs `copy_out` and `copy_in`");
    }
}

void check_size(const Options& o, int ranks) {
    const auto refuse = [ranks](const std::string& limit) {
        throw InputError("the program runs on " + limit +
                         " (ductile::Options) and was started on " + std::to_string(ranks) +
                         "; choose another number with -n");
    };
    if (ranks < o.min) refuse("at least " + core::counted(o.min, "rank"));
    if (o.max != 0 && ranks > o.max) refuse("at most " + core::counted(o.max, "rank"));
    if (o.multiple != 0 && ranks % o.multiple != 0)
        refuse("multiples of " + core::counted(o.multiple, "rank"));
}

}  // namespace ductile
