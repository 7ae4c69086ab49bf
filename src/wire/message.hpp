// An encoded message. Only wire/ knows its fields and the JSON that holds them.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <variant>

namespace ductile::wire {

/// A message that is not decoded yet. Copies share the content.
class Message {
  public:
    explicit Message(nlohmann::json content);
    [[nodiscard]] const nlohmann::json& content() const { return *content_; }

  private:
    std::shared_ptr<const nlohmann::json> content_;
};

/// Encodes one message of a family (a variant: ToAgent, FromRank, ...), with its name.
/// wire/families.cpp lists the families.
template <class... Types>
[[nodiscard]] Message encode(const std::variant<Types...>& message);

/// Throws InputError that names message and field.
template <class Family>
[[nodiscard]] Family decode(const Message& message);

}  // namespace ductile::wire
