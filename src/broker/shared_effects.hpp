// Effects that several parts share. Pure data.
#pragma once

#include <string>

#include "resize/event.hpp"

namespace ductile::broker {

struct TellResize {
    resize::Event event;
};
struct NotifyUser {
    std::string text;
};

}  // namespace ductile::broker
