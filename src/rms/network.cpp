#include "rms/network.hpp"

#include <filesystem>

namespace ductile::rms {

bool has_fast_network(const std::string& root) {
    for (const char* devices : {"/sys/class/infiniband", "/sys/class/cxi"}) {
        std::error_code error;
        const std::filesystem::directory_iterator found(root + devices, error);
        if (!error && found != std::filesystem::directory_iterator()) return true;
    }
    return false;
}

}  // namespace ductile::rms
