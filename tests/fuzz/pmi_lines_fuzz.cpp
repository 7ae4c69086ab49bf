// The PMI-1 lines of the ranks of a world, in any order, mixed with other events of the ranks
// (tests/pmi/recording.hpp has the format).
#include <array>

#include "fuzz/fuzz.hpp"
#include "pmi/limits.hpp"
#include "pmi/line_buffer.hpp"
#include "pmi/recording.hpp"

namespace ductile::fuzz {
namespace {

using namespace ductile::pmi;

constexpr std::size_t most_ranks = 16;

// Each answer belongs to one line, and a rank that is gone gets none.
void check_conversation(const Recording& recording) {
    NameTable names;
    OneWorld world(recording.options, names);
    std::array<std::size_t, most_ranks> said{}, told{};
    std::size_t bytes = 0;
    for (const auto& [key, value] : recording.options.keys) bytes += key.size() + value.size();
    for (const auto& step : recording.steps) {
        bytes += step.size();
        if (step[0] != '!') ++said.at(static_cast<std::size_t>(speaker_of(step, world.ranks())));
        std::array<bool, most_ranks> gone{};
        for (int rank = 0; rank < world.ranks(); ++rank)
            gone.at(static_cast<std::size_t>(rank)) =
                std::holds_alternative<Gone>(world.state(rank));
        do_step(world, step);
        for (const auto& [rank, line] : world.take_lines()) {
            const auto index = static_cast<std::size_t>(rank.value);
            expect(++told.at(index) <= said.at(index), "each answer has its question");
            expect(line.find('\n') == line.npos, "an answer is one line");
            expect(!gone.at(index), "the gone get no answer");
        }
        // Each host keeps the keys of all ranks. The process mapping takes about 40 bytes.
        expect(world.bytes() <= (bytes + 128) * most_ranks * 2, "no more is kept than was said");
    }
}

void check_buffer(std::string_view text) {
    LineBuffer at_once, in_pieces;
    const auto lines = at_once.add(text);
    auto pieces = in_pieces.add(text.substr(0, text.size() / 3));
    for (auto& line : in_pieces.add(text.substr(text.size() / 3)))
        pieces.push_back(std::move(line));
    expect(pieces == lines, "lines do not depend on the pieces that they come in");
    for (const auto& line : lines) static_cast<void>(parse_command(line));
}

}  // namespace
}  // namespace ductile::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile::fuzz;
    const auto text = text_of(data, size);
    check_buffer(text);
    check_conversation(read_recording(std::string(text)));
    return 0;
}
