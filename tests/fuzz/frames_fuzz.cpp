// Frames of every connection: whatever arrives, in whatever pieces, is a message or is refused.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "fuzz/families.hpp"
#include "fuzz/fuzz.hpp"
#include "wire/frame.hpp"

namespace ductile::fuzz {
namespace {

struct Reading {
    std::vector<nlohmann::json> messages;
    bool refused = false;
};

// Compares the messages by their bytes, because a NaN is not equal to itself as a value.
bool is_same(const Reading& one, const Reading& other) {
    const auto same = [](const nlohmann::json& a, const nlohmann::json& b) {
        return nlohmann::json::to_cbor(a) == nlohmann::json::to_cbor(b);
    };
    return one.refused == other.refused && std::ranges::equal(one.messages, other.messages, same);
}

Reading read(std::string_view bytes, std::size_t piece) {
    Reading reading;
    wire::FrameReader reader;
    while (!bytes.empty() && !reading.refused) {
        const auto size = std::min(piece, bytes.size());
        reader.add(bytes.substr(0, size));
        bytes.remove_prefix(size);
        try {
            while (auto message = reader.next()) reading.messages.push_back(message->content());
        } catch (const Error&) {
            reading.refused = true;
        }
    }
    return reading;
}

wire::Message through_frame(const wire::Message& message) {
    wire::FrameReader reader;
    reader.add(wire::to_frame(message));
    return reader.next().value();
}

template <class Family>
void check_as(const wire::Message& message) {
    const auto decoded = unless_refused([&] { return wire::decode<Family>(message); });
    if (!decoded) return;
    const auto encoded = wire::encode(*decoded);
    const auto again = wire::encode(wire::decode<Family>(through_frame(encoded)));
    expect(again.content() == encoded.content(), "a message that is decoded comes back as it was");
}

// A type that no family knows is shown to one of them: the refusal is the same for all.
void check(const nlohmann::json& message) {
    std::string type;
    if (message.is_object() && message.contains("type") && message["type"].is_string())
        type = message["type"].get<std::string>();
    bool known = false;
    for_each_family([&]<class Family>(std::type_identity<Family> family) {
        if (!has_message(family, type)) return;
        known = true;
        check_as<Family>(wire::Message(message));
    });
    if (!known) check_as<wire::FromAgent>(wire::Message(message));
}

}  // namespace
}  // namespace ductile::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile::fuzz;
    const auto bytes = text_of(data, size);
    const auto whole = read(bytes, std::max<std::size_t>(size, 1));
    const auto in_pieces = read(bytes, 1 + size % 7);
    expect(is_same(whole, in_pieces), "messages do not depend on the pieces in which they arrive");
    for (const auto& message : whole.messages) check(message);
    return 0;
}
