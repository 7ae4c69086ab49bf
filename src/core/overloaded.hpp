// One helper for std::visit.
#pragma once

namespace ductile::core {

/// Calls the handler that takes the value.
template <class... Handlers>
struct Overloaded : Handlers... {
    using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace ductile::core
