// Pairs of sizes, and other numbers of a command line. Pure.
#pragma once

#include <string>
#include <vector>

namespace ductile::bench {

/// From NS ranks to NT.
struct Pair {
    int ns = 1, nt = 1;
    auto operator<=>(const Pair&) const = default;
};

/// "1:4,2:8" gives {1, 4} and {2, 8}, the smaller one first; sizes from 1 to `most`. Throws
/// InputError that names the word.
std::vector<Pair> pairs_in(const std::string& text, int most);
/// All pairs of these sizes, the smaller one first.
std::vector<Pair> all_pairs(const std::vector<int>& sizes);

/// The value of an option: a number from 1 to `most`. Throws InputError that names the option.
int number_in(const std::string& text, const char* option, int most);

}  // namespace ductile::bench
