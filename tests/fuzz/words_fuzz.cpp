// Short texts that a user, a launcher, an MPI or an unknown peer gives.
#include "agent/lines.hpp"
#include "cli/doctor/probe_output.hpp"
#include "cli/split_words.hpp"
#include "fuzz/fuzz.hpp"
#include "mpi/capabilities.hpp"
#include "wire/printable.hpp"
#include "wire/proxy_name.hpp"
#include "wire/psk.hpp"

namespace ductile::fuzz {
namespace {

void check_proxy_name(std::string_view text) {
    const auto part = wire::proxy_part(text);
    if (!part) return;
    expect(wire::proxy_part(wire::proxy_name(*part)) == part, "a proxy's address names its part");
    expect(wire::proxy_part(wire::proxy_word(*part)) == part, "a proxy's word names its part");
}

void check_identity(std::string_view text) {
    const auto identity = wire::parse_identity(text);
    if (!identity) return;
    expect(wire::parse_identity(to_text(*identity)) == identity, "an identity comes back");
}

void check_lines(std::string_view text) {
    const auto half = text.size() / 2;
    for (const auto end : {agent::LineEnd::newline, agent::LineEnd::newline_or_return}) {
        agent::Lines lines(64);
        auto read = lines.add(text.substr(0, half), end);
        if (end == agent::LineEnd::newline_or_return) read += lines.partial();
        read += lines.add(text.substr(half), end);
        expect(read + lines.rest() == text, "lines are all that was added");
    }
}

void check_printable(std::string_view text) {
    const auto shown = wire::printable(text);
    expect(wire::printable(shown) == shown, "text that may be shown is shown as it is");
}

}  // namespace
}  // namespace ductile::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile;
    using namespace ductile::fuzz;
    const auto text = text_of(data, size);
    check_proxy_name(text);
    check_identity(text);
    check_lines(text);
    check_printable(text);
    static_cast<void>(unless_refused([&] { return cli::split_words(std::string(text)); }));
    static_cast<void>(unless_refused([&] { return wire::secret_from_hex(text); }));
    static_cast<void>(mpi::known_capabilities(text));
    static_cast<void>(cli::facts_in(text));
    static_cast<void>(cli::trouble_in(text));
    return 0;
}
