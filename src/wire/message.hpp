// A message as it travels. Its fields and the JSON that holds them are known to wire/ only.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <variant>

namespace ductile::wire {

/// One that is not decoded yet. Copies share it.
class Message {
  public:
    explicit Message(nlohmann::json content);
    [[nodiscard]] const nlohmann::json& content() const { return *content_; }

  private:
    std::shared_ptr<const nlohmann::json> content_;
};

/// One of a family of messages (a variant: ToAgent, FromRank, ...), with its name. Families are
/// listed in wire/families.cpp.
template <class... Types>
[[nodiscard]] Message encode(const std::variant<Types...>& message);

/// Throws InputError that names message and field.
template <class Family>
[[nodiscard]] Family decode(const Message& message);

}  // namespace ductile::wire
