#include "broker/accepted_json.hpp"

#include <nlohmann/json.hpp>

namespace ductile::broker {

std::string accepted_as(core::TransactionId resize) {
    return nlohmann::json{{"resize", resize.value}}.dump();
}

}  // namespace ductile::broker
