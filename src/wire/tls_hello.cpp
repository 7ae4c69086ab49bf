#include "wire/tls_hello.hpp"

#include <cstddef>

namespace ductile::wire {

namespace {

constexpr std::size_t record_header = 5;   // type, version (2), length (2)
constexpr std::size_t message_header = 4;  // type, length (3)
constexpr char client_hello = 1;
constexpr std::size_t most_bytes = 16384;
constexpr char handshake_record = 22;
constexpr char major_version = 3;

}  // namespace

Hello hello_in(std::string_view bytes) {
    if (!bytes.empty() && bytes[0] != handshake_record) return Hello::none;
    if (bytes.size() > 1 && bytes[1] != major_version) return Hello::none;
    if (bytes.size() < record_header) return Hello::incomplete;
    const auto byte = [bytes](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
    const auto length = static_cast<std::size_t>(byte(3)) << 8 | byte(4);
    if (length <= message_header || length > most_bytes) return Hello::none;
    if (bytes.size() > record_header && bytes[record_header] != client_hello) return Hello::none;
    // If a peer announces more than the record holds, the handshake would wait for the rest.
    if (bytes.size() >= record_header + message_header) {
        const auto announced = static_cast<std::size_t>(byte(6)) << 16 |
                               static_cast<std::size_t>(byte(7)) << 8 | byte(8);
        if (announced + message_header != length) return Hello::none;
    }
    return bytes.size() < record_header + length ? Hello::incomplete : Hello::complete;
}

}  // namespace ductile::wire
