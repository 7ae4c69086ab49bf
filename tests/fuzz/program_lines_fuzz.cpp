// What a resource manager's program says (docs/resource-managers.md).
#include "fuzz/fuzz.hpp"
#include "rms/hosts_file.hpp"
#include "rms/program_protocol.hpp"

namespace ductile::fuzz {
namespace {

using namespace ductile::rms;

ProgramProtocol protocol() {
    ProgramProtocol talk("program", "job-1", {{{"a", 1}}});
    talk.started();
    talk.request(RequestId{1}, {2, {}});
    talk.request(RequestId{2}, {1, {}});
    talk.cancel(RequestId{2});
    return talk;
}

void check(const HostAnswer& answer) {
    if (const auto* granted = std::get_if<Granted>(&answer))
        for (const auto& host : granted->hosts) {
            expect(is_host_name(host.name), "a granted host has a host's name");
            expect(host.slots >= 1 && host.slots <= max_slots, "its slots can be counted");
        }
    if (const auto* revoked = std::get_if<Revoked>(&answer)) {
        expect(is_host_name(revoked->host), "a revoked host has a host's name");
        expect(revoked->within.count() >= 0, "its deadline is not over");
    }
}

}  // namespace
}  // namespace ductile::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile::fuzz;
    const auto text = text_of(data, size);
    auto at_once = protocol(), in_pieces = protocol();
    const auto effects = at_once.received(text);
    auto pieces = in_pieces.received(text.substr(0, size / 3));
    for (auto& effect : in_pieces.received(text.substr(size / 3)))
        pieces.push_back(std::move(effect));
    expect(pieces == effects, "lines do not depend on the pieces that they come in");
    for (const auto& effect : effects)
        if (const auto* answer = std::get_if<AnswerJob>(&effect)) check(answer->answer);
    // After any input, the next program is told the open requests, in lines that are not too long.
    at_once.ended(std::chrono::seconds(1), "exit code 1");
    for (const auto& effect : at_once.started())
        expect(std::get<SendLine>(effect).text.size() <= max_program_line, "lines are bounded");
    return 0;
}
