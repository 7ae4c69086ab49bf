// The automatic choice of how a group is made.
#pragma once

#include "tree/method.hpp"

namespace ductile::groups {

/// What a message costs between processes of a job. As given: one host's shared memory and a
/// cluster's network lie within a factor of ten of it, and the choice moves little with them.
struct MessageCosts {
    double latency_us = 2;
    double byte_us = 0.001;
};

/// The times that equations (5) and (6) and sections VI-C and VII-B of balanced-spanning-trees give
/// for a parent of n processes, if all enrol (the members are not known yet).
double centralized_us(int n, int branching, const MessageCosts& costs);
double hash_us(int n, int branching, const MessageCosts& costs);

/// Centralized while it is the faster, which is at small sizes, and shrink-and-hash from then on.
/// Shrink-and-balance has the same order of time as hash with half the messages, but its longest
/// path depends on who enrols: it is never chosen here.
tree::Algorithm choose_algorithm(int n, int branching, const MessageCosts& costs = {});

}  // namespace ductile::groups
