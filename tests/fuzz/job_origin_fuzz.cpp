// What a job was started with, as `ductile run --resume` reads it from the journal.
#include <nlohmann/json.hpp>

#include "cli/job_origin.hpp"
#include "fuzz/fuzz.hpp"
#include "wire/json_line.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile;
    using namespace ductile::fuzz;
    const auto line = text_of(data, size);
    const auto origin = unless_refused([&] { return cli::job_origin_from(wire::from_line(line)); });
    if (!origin) return 0;
    const auto json = to_json(*origin);
    const auto again = cli::job_origin_from(wire::from_line(wire::to_line(json)));
    expect(to_json(again) == json, "an origin comes back as it was");
    cli::Settings settings(origin->settings);
    static_cast<void>(unless_refused([&] { return settings.number("ranks", 1, 1, 100).value; }));
    static_cast<void>(unless_refused([&] { return settings.seconds("inhibitor", 0).value; }));
    static_cast<void>(unless_refused([&] { return settings.flag("tag"); }));
    static_cast<void>(settings.text("remote-shell", ""));
    return 0;
}
