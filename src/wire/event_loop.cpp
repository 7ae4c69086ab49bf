#include "wire/event_loop.hpp"

#include <exception>

namespace ductile::wire {

void run_to_end(asio::io_context& io, const std::function<void(const std::string&)>& on_error) {
    for (bool failed = false;; failed = true) {
        try {
            io.run();
            return;
        } catch (const std::exception& error) {
            if (failed) throw;
            on_error(error.what());
        }
    }
}

}  // namespace ductile::wire
