// Lines of JSON, and what an agent is told on its standard input.
#include "agent/bootstrap.hpp"
#include "fuzz/fuzz.hpp"
#include "wire/json_line.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile;
    using namespace ductile::fuzz;
    const auto line = text_of(data, size);
    if (const auto json = unless_refused([&] { return wire::from_line(line); }))
        expect(wire::from_line(wire::to_line(*json)) == *json, "a line comes back as it was");
    if (const auto bootstrap = unless_refused([&] { return agent::parse_bootstrap(line); }))
        expect(agent::is_job_name(bootstrap->identity.job), "the job's name is one");
    return 0;
}
