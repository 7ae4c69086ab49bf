// An event loop that runs until something has happened.
#pragma once

#include <asio/io_context.hpp>
#include <chrono>

#include "../patience.hpp"

namespace ductile::rms {

/// Runs the loop until `happened` returns true. False if it does not within 20 s, patiently.
template <class Condition>
bool run_until(asio::io_context& io, const Condition& happened) {
    const auto end = std::chrono::steady_clock::now() + test::patient(std::chrono::seconds(20));
    io.restart();
    while (!happened()) {
        if (std::chrono::steady_clock::now() >= end) return false;
        if (io.run_one_until(end) == 0) io.restart();
    }
    return true;
}

}  // namespace ductile::rms
