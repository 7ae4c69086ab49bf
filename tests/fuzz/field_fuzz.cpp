// A field of `heat --field`, as `ductile report --field` reads it.
#include <nlohmann/json.hpp>
#include <sstream>

#include "fuzz/fuzz.hpp"
#include "report/field_picture.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile::fuzz;
    std::istringstream file{std::string(text_of(data, size))};
    const auto picture = unless_refused([&] { return ductile::report::read_field(file); });
    if (picture) static_cast<void>(ductile::report::field_chart(*picture).dump());
    return 0;
}
