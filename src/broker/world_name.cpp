#include "broker/world_name.hpp"

#include "wire/psk.hpp"

namespace ductile::broker {

pmi::KvsName new_world_name() {
    const auto secret = wire::make_secret();
    pmi::RandomBits bits;
    for (std::size_t i = 0; i < 8; ++i) {
        bits.high = bits.high << 8 | static_cast<unsigned char>(secret[i]);
        bits.low = bits.low << 8 | static_cast<unsigned char>(secret[i + 8]);
    }
    return pmi::KvsName(bits);
}

}  // namespace ductile::broker
