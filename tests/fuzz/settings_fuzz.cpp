// A file of options.
#include "cli/settings.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile;
    using namespace ductile::fuzz;
    const auto text = text_of(data, size);
    const auto options = unless_refused([&] { return cli::parse_options(text, "options.toml"); });
    if (!options) return 0;
    for (const auto& [name, given] : *options)
        expect(given.place.starts_with("options.toml:"), "an option names its place");
    return 0;
}
