#include "job/group_method.hpp"

#include <string>

#include "groups/choose_method.hpp"
#include "tree/shape.hpp"

namespace ductile {

namespace {

tree::Algorithm algorithm_for(const GroupOptions& options, int parents) {
    switch (options.algorithm) {
        case GroupAlgorithm::centralized:
            return tree::Algorithm::centralized;
        case GroupAlgorithm::shrink_and_balance:
            return tree::Algorithm::shrink_and_balance;
        case GroupAlgorithm::shrink_and_hash:
            return tree::Algorithm::shrink_and_hash;
        case GroupAlgorithm::automatic:
            break;
    }
    if (options.by_host) return tree::Algorithm::centralized;
    return groups::choose_algorithm(parents, options.branching);
}

tree::Filler filler_for(const GroupOptions& options, tree::Algorithm algorithm) {
    switch (options.filler) {
        case GroupFiller::none:
            return tree::Filler::none;
        case GroupFiller::child:
            return tree::Filler::child;
        case GroupFiller::leaf:
            return tree::Filler::leaf;
        case GroupFiller::automatic:
            break;
    }
    return algorithm == tree::Algorithm::shrink_and_balance ? tree::Filler::leaf
                                                            : tree::Filler::none;
}

}  // namespace

void check_options(const GroupOptions& options) {
    if (options.algorithm < GroupAlgorithm::automatic ||
        options.algorithm > GroupAlgorithm::shrink_and_hash)
        throw InputError("GroupOptions::algorithm is not a value of GroupAlgorithm");
    if (options.filler < GroupFiller::automatic || options.filler > GroupFiller::leaf)
        throw InputError("GroupOptions::filler is not a value of GroupFiller");
    if (options.branching < 2 || options.branching > tree::max_branching)
        throw InputError("GroupOptions::branching is " + std::to_string(options.branching) +
                         "; 2 to " + std::to_string(tree::max_branching) + " are possible");
    if (options.segment_bytes < 1)
        throw InputError("GroupOptions::segment_bytes is " + std::to_string(options.segment_bytes) +
                         "; it must be at least 1");
    if (options.by_host && options.algorithm == GroupAlgorithm::shrink_and_hash)
        throw InputError(
            "GroupOptions: by_host is not possible with shrink_and_hash, whose ranks "
            "do not lie together below a process");
    if (options.algorithm == GroupAlgorithm::shrink_and_balance &&
        options.filler == GroupFiller::none)
        throw InputError(
            "GroupOptions: shrink_and_balance cannot leave holes; choose the filler child or leaf");
}

tree::Method method_for(const GroupOptions& options, int parents) {
    tree::Method method;
    method.algorithm = algorithm_for(options, parents);
    method.filler = filler_for(options, method.algorithm);
    method.branching = options.branching;
    method.lone = tree::LoneBranch::passed_on;
    return method;
}

GroupAlgorithm name_of(tree::Algorithm algorithm) {
    switch (algorithm) {
        case tree::Algorithm::centralized:
            return GroupAlgorithm::centralized;
        case tree::Algorithm::shrink_and_balance:
            return GroupAlgorithm::shrink_and_balance;
        case tree::Algorithm::shrink_and_hash:
            break;
    }
    return GroupAlgorithm::shrink_and_hash;
}

std::optional<tree::Colour> colour_of(GroupColour colour) {
    if (colour.value < 0) return std::nullopt;
    return tree::Colour{colour.value};
}

void require_colour(GroupColour colour) {
    if (colour.value < 0 && colour.value != MPI_UNDEFINED)
        throw InputError("a process group's colour is " + std::to_string(colour.value) +
                         "; it must be 0 or more, or MPI_UNDEFINED for no group");
}

std::optional<tree::Colour> colour_of(bool member) {
    return member ? std::optional{tree::Colour{0}} : std::nullopt;
}

}  // namespace ductile
