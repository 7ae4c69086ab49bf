// The list of hosts that a user gives.
#include "fuzz/fuzz.hpp"
#include "rms/hosts_file.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile;
    using namespace ductile::fuzz;
    const auto text = text_of(data, size);
    const auto allocation = unless_refused([&] { return rms::parse_hosts(text, "hosts"); });
    if (!allocation) return 0;
    std::string written;
    for (const auto& host : allocation->hosts)
        written += host.name + " slots=" + std::to_string(host.slots) +
                   (host.max_slots == 0 ? "" : " max_slots=" + std::to_string(host.max_slots)) +
                   "\n";
    expect(rms::parse_hosts(written, "hosts") == *allocation, "a list comes back as it was");
    return 0;
}
