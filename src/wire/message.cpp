#include "wire/message.hpp"

#include <nlohmann/json.hpp>

namespace ductile::wire {

Message::Message(nlohmann::json content)
    : content_(std::make_shared<const nlohmann::json>(std::move(content))) {}

}  // namespace ductile::wire
