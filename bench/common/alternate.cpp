#include "common/alternate.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "ductile/error.hpp"

namespace ductile::bench {

namespace {

void take(Side& side, int most_failures) {
    for (;;) {
        try {
            return side.sample();
        } catch (const Error& error) {
            side.failures.emplace_back(error.what());
            fmt::print(stderr, "\n{}: a sample failed and is taken again: {}\n", side.name,
                       error.what());
            if (static_cast<int>(side.failures.size()) > most_failures)
                throw SystemError(side.name + " fails too often");
        }
    }
}

}  // namespace

void alternate(const std::string& name, int repeat, Side& first, Side& second) {
    const int most_failures = (repeat + 1) / 2;
    for (int i = 0; i < repeat; ++i) {
        fmt::print(stderr, "\r{}: {} of {} ", name, i + 1, repeat);
        std::fflush(stderr);
        take(i % 2 == 0 ? first : second, most_failures);
        take(i % 2 == 0 ? second : first, most_failures);
    }
    fmt::print(stderr, "\r{:40}\r", "");
}

}  // namespace ductile::bench
