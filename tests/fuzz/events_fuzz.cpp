// A file of event records, as `ductile report` reads it.
#include <sstream>

#include "fuzz/fuzz.hpp"
#include "report/timeline.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile::fuzz;
    std::istringstream records{std::string(text_of(data, size))};
    static_cast<void>(unless_refused([&] { return ductile::report::read_timeline(records); }));
    return 0;
}
