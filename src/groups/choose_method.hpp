// The automatic choice of how a group is made.
#pragma once

#include "tree/method.hpp"

namespace ductile::groups {

/// The costs of a message between processes of a job. The shared memory of one host and the network
/// of a cluster differ from these defaults by less than a factor of ten. The choice hardly depends
/// on them.
struct MessageCosts {
    double latency_us = 2;
    double byte_us = 0.001;
};

/// The times, in microseconds, for a parent group of n processes, after equations (5) and (6) and
/// sections VI-C and VII-B of balanced-spanning-trees (with one smaller term: see
/// choose_method.cpp). They assume that all processes become members, because the members are not
/// known yet.
double centralized_us(int n, int branching, const MessageCosts& costs);
double hash_us(int n, int branching, const MessageCosts& costs);

/// Centralized if it is not slower than shrink-and-hash, that is, at small sizes. Otherwise
/// shrink-and-hash.
/// Shrink-and-balance takes a time of the same order as shrink-and-hash, with half the messages,
/// but its longest path depends on which processes become members. So it is never chosen here.
tree::Algorithm choose_algorithm(int n, int branching, const MessageCosts& costs = {});

}  // namespace ductile::groups
