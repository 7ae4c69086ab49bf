// The steps of a broker's journal.
#include <nlohmann/json.hpp>

#include "broker/snapshot_json.hpp"
#include "fuzz/fuzz.hpp"
#include "wire/json_line.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile;
    using namespace ductile::fuzz;
    const auto line = text_of(data, size);
    const auto known = unless_refused([&] { return broker::snapshot_from(wire::from_line(line)); });
    if (!known) return 0;
    const auto again = broker::snapshot_from(wire::from_line(wire::to_line(to_json(*known))));
    expect(again == *known, "a snapshot comes back as it was");
    for (const auto& one : known->groups)
        for (const auto& share : one.group.shares())
            expect(share.ranks > 0, "each share of a group has ranks");
    expect(known->layout.size() >= 0 && known->layout.parked_size() >= 0,
           "a layout's ranks can be counted");
    for (const auto& range : known->layout.active)
        expect(known->layout.rank_of({range.group, range.first}).has_value(),
               "an active process has a rank");
    return 0;
}
