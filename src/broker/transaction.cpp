#include "broker/transaction.hpp"

namespace ductile::broker {

std::string to_text(Phase phase) {
    switch (phase) {
        case Phase::starting:
            return "starting";
        case Phase::connecting:
            return "connecting";
        case Phase::bridging:
            return "bridging";
        case Phase::asking:
            return "asking";
        case Phase::waiting:
            return "waiting";
        case Phase::switching:
            return "switching";
    }
    return "unknown";
}

}  // namespace ductile::broker
