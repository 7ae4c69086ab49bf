// One helper for std::visit.
#pragma once

namespace ductile::core {

/// The handler that takes the value is called.
template <class... Handlers>
struct Overloaded : Handlers... {
    using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

}  // namespace ductile::core
