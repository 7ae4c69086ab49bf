// The file of costs that `ductile calibrate` writes.
#include <nlohmann/json.hpp>

#include "cli/costs_file.hpp"
#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile;
    using namespace ductile::fuzz;
    mpi::Capabilities mpi;
    mpi.implementation = "MPICH";
    mpi.version = "5.0.2";
    const auto text = text_of(data, size);
    const auto model = unless_refused([&] { return cli::parse_costs(text, "costs.json", mpi); });
    if (!model) return 0;
    const auto again = cli::parse_costs(cli::to_json(*model, mpi).dump(), "costs.json", mpi);
    expect(again == *model, "costs come back as they were");
    return 0;
}
