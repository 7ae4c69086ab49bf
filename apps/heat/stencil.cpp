#include "heat/stencil.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace heat {

namespace {

struct Disc {
    double row, col, radius, temperature;
};

// std::mt19937_64 gives the same numbers everywhere; the distributions of <random> do not.
std::array<Disc, 12> choose_discs(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto unit = [&] { return static_cast<double>(random() >> 11U) * 0x1p-53; };
    std::array<Disc, 12> discs{};
    for (auto& disc : discs) {
        disc.row = unit();
        disc.col = unit();
        disc.radius = 0.02 + 0.12 * unit();
        disc.temperature = 0.35 + 0.65 * unit();
    }
    return discs;
}

void step_row(double* row, const double* above, const double* old, const double* below,
              std::int64_t cols) {
    constexpr double alpha = 0.24;  // below 1/4: stable
    for (std::int64_t j = 1; j < cols - 1; ++j) {
        const double around = (above[j] + below[j]) + (old[j - 1] + old[j + 1]);
        row[j] = old[j] + alpha * (around - 4.0 * old[j]);
    }
}

}  // namespace

void initialise(Block block, std::uint64_t seed) {
    const auto discs = choose_discs(seed);
    const auto shorter = static_cast<double>(std::min(block.rows, block.cols));
    for (std::int64_t i = 0; i < block.count; ++i) {
        const auto y = static_cast<double>(block.offset + i);
        for (std::int64_t j = 0; j < block.cols; ++j) {
            const auto x = static_cast<double>(j);
            double value = j == 0 ? 0.5 : 0.0;
            for (const auto& disc : discs) {
                const double dy = y - disc.row * static_cast<double>(block.rows);
                const double dx = x - disc.col * static_cast<double>(block.cols);
                const double r = disc.radius * shorter;
                if (dx * dx + dy * dy < r * r) value = std::max(value, disc.temperature);
            }
            block.row(i)[j] = value;
        }
    }
}

void Stencil::step(Block block, const double* above, const double* below) {
    const auto width = static_cast<std::size_t>(block.cols);
    previous_.resize(width);
    current_.resize(width);
    if (above != nullptr) std::copy_n(above, width, previous_.begin());
    for (std::int64_t i = 0; i < block.count; ++i) {
        double* row = block.row(i);
        std::copy_n(row, width, current_.begin());
        const std::int64_t global = block.offset + i;
        const bool edge = global == 0 || global == block.rows - 1;
        const double* next = i + 1 < block.count ? block.row(i + 1) : below;
        if (!edge) step_row(row, previous_.data(), current_.data(), next, block.cols);
        std::swap(previous_, current_);
    }
}

}  // namespace heat
