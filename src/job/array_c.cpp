// The C interface of distribution rules and distributed arrays.
#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "job/c_handles.hpp"

struct ductile_range_list {
    std::vector<ductile::Range> ranges;
};

namespace {

using ductile::Distribution;
using ductile::InputError;
using ductile::Range;
using ductile::c::answer_or;
using ductile::c::given;
using ductile::c::guarded;

using Extents = std::vector<std::int64_t>;

/// Throws InputError if a function of the program has returned a `code` other than 0.
void expect_success(int code, const char* what) {
    if (code != 0)
        throw InputError(std::string("the program's function for ") + what + " returned " +
                         std::to_string(code));
}

Extents extents_of(const std::int64_t* extents, int dimensions) {
    if (dimensions < 1)
        throw InputError("an array has " + std::to_string(dimensions) + " dimensions");
    given(extents, "the extents of an array");
    return {extents, extents + dimensions};
}

/// `make` returns the rule.
template <class Make>
int make_rule(ductile_distribution** rule, const Make& make) {
    return guarded([&] {
        *given(rule, "the new rule's handle") = nullptr;
        *rule = new ductile_distribution{make()};
    });
}

Distribution rule_of(const ductile_distribution* rule) {
    return rule == nullptr ? Distribution() : rule->rule;
}

void hand_out(const std::vector<Range>& all, ductile_range* ranges, std::size_t capacity,
              std::size_t* count) {
    *given(count, "the number of ranges") = all.size();
    const auto written = std::min(capacity, all.size());
    if (written > 0) given(ranges, "the ranges");
    for (std::size_t i = 0; i < written; ++i) ranges[i] = {all[i].begin, all[i].end};
}

std::string type_of(const ductile_shape& shape) {
    if (shape.type != nullptr) return shape.type;
    return "C value of " + std::to_string(shape.value_bytes) + " bytes";
}

const ductile_array& array_of(const ductile_array* array) {
    return *given(array, "the array");
}

const ductile_array& rows_of(const ductile_array* rows) {
    const auto& array = array_of(rows);
    if (!array.is_of_rows())
        throw ductile::UsageError("array '" + array.name() +
                                  "' has elements of one size, not rows");
    return array;
}

}  // namespace

int ductile_range_list_add(ductile_range_list* list, int64_t begin, int64_t end) {
    return guarded([&] { given(list, "the list of ranges")->ranges.push_back({begin, end}); });
}

int ductile_distribution_cyclic(int64_t block, ductile_distribution** rule) {
    return make_rule(rule, [&] { return Distribution::cyclic(block); });
}

int ductile_distribution_by_weights(ductile_weights_function* weights, void* user,
                                    ductile_distribution** rule) {
    return make_rule(rule, [&] {
        given(weights, "the function for weights");
        return Distribution::by_weights([weights, user](int ranks) {
            std::vector<std::int64_t> all(static_cast<std::size_t>(ranks));
            expect_success(weights(ranks, all.data(), user), "weights");
            return all;
        });
    });
}

int ductile_distribution_by_hosts(ductile_host_weights_function* weights, void* user,
                                  ductile_distribution** rule) {
    return make_rule(rule, [&] {
        given(weights, "the function for weights");
        return Distribution::by_hosts([weights, user](const std::vector<ductile::RankHost>& ranks) {
            std::vector<ductile_rank_host> hosts;
            for (const auto& one : ranks)
                hosts.push_back({one.host, one.slots, one.ranks, one.local_rank});
            std::vector<std::int64_t> all(ranks.size());
            expect_success(weights(static_cast<int>(hosts.size()), hosts.data(), all.data(), user),
                           "weights");
            return all;
        });
    });
}

int ductile_distribution_by_slots(ductile_distribution** rule) {
    return make_rule(rule, [] { return Distribution::by_slots(); });
}

int ductile_distribution_balanced(ductile_weight_before_function* weight_before, void* user,
                                  ductile_distribution** rule) {
    return make_rule(rule, [&] {
        given(weight_before, "the function for weights before an element");
        return Distribution::balanced(
            [weight_before, user](std::int64_t element) { return weight_before(element, user); });
    });
}

int ductile_distribution_by_ranges(ductile_ranges_function* ranges, void* user,
                                   ductile_distribution** rule) {
    return make_rule(rule, [&] {
        given(ranges, "the function for ranges");
        return Distribution::by_ranges([ranges, user](int ranks, int rank) {
            ductile_range_list list;
            expect_success(ranges(ranks, rank, &list, user), "ranges");
            return list.ranges;
        });
    });
}

int ductile_distribution_along(const int64_t* extents, int dimensions, int dimension,
                               ductile_distribution** rule) {
    return make_rule(
        rule, [&] { return Distribution::along(extents_of(extents, dimensions), dimension); });
}

int ductile_distribution_grid(const int64_t* extents, int dimensions, ductile_distribution** rule) {
    return make_rule(rule, [&] { return Distribution::grid(extents_of(extents, dimensions)); });
}

int ductile_distribution_free(ductile_distribution** rule) {
    return guarded([&] {
        delete *given(rule, "the handle");
        *rule = nullptr;
    });
}

int ductile_distribution_ranges(const ductile_distribution* rule, int64_t elements, int ranks,
                                int rank, ductile_range* ranges, size_t capacity, size_t* count) {
    return guarded(
        [&] { hand_out(rule_of(rule).ranges(elements, ranks, rank), ranges, capacity, count); });
}

int ductile_distribution_owner(const ductile_distribution* rule, int64_t elements, int ranks,
                               int64_t element, int* owner) {
    return guarded(
        [&] { *given(owner, "the owner") = rule_of(rule).owner(elements, ranks, element); });
}

int ductile_job_distribute(ductile_job* job, const char* name, const ductile_shape* shape,
                           const ductile_distribution* rule, ductile_array** array) {
    return guarded([&] {
        *given(array, "the new array's handle") = nullptr;
        const auto& what = *given(shape, "the shape");
        if (what.value_bytes < 1) throw InputError("a value of an array has 0 bytes");
        const auto width = what.width == 0 ? 1 : what.width;
        const std::string named = given(name, "the name of an array");
        auto added = ductile::JobAccess::add_array(ductile::c::job_of(job),
                                                   {named,
                                                    type_of(what),
                                                    what.value_bytes,
                                                    what.elements,
                                                    width,
                                                    {what.halo_before, what.halo_after}},
                                                   rule_of(rule));
        *array = new ductile_array(std::move(added), width);
    });
}

int ductile_job_distribute_rows(ductile_job* job, const char* name, const ductile_shape* shape,
                                const ductile_distribution* rule, ductile_array** rows) {
    return guarded([&] {
        *given(rows, "the new rows' handle") = nullptr;
        const auto& what = *given(shape, "the shape");
        if (what.value_bytes < 1) throw InputError("a value of rows has 0 bytes");
        if (what.width > 1 || what.halo_before != 0 || what.halo_after != 0)
            throw InputError("rows cannot have a width or a halo");
        const std::string named = given(name, "the name of rows");
        auto added = ductile::JobAccess::add_rows(
            ductile::c::job_of(job), {named, type_of(what), what.value_bytes, what.elements, 1, {}},
            rule_of(rule));
        *rows = new ductile_array(std::move(added), 1);
    });
}

int ductile_array_set_lengths(ductile_array* rows, const int64_t* lengths, size_t count) {
    return guarded([&] {
        const auto& array = rows_of(rows);
        if (count > 0) given(lengths, "the lengths of rows");
        ductile::detail::set_row_lengths(array.array(), {lengths, count});
    });
}

const int64_t* ductile_array_starts(const ductile_array* rows) {
    return answer_or(nullptr, [&]() -> const int64_t* {
        return ductile::detail::array_starts(rows_of(rows).array()).data();
    });
}

int ductile_array_freeze(const ductile_array* array) {
    return guarded([&] { array_of(array).freeze(); });
}

int ductile_array_move_only(const ductile_array* array, MPI_Datatype type) {
    return guarded([&] { array_of(array).move_only(type); });
}

int ductile_array_free(ductile_array** array) {
    return guarded([&] {
        delete *given(array, "the handle");
        *array = nullptr;
    });
}

void* ductile_array_data(const ductile_array* array) {
    return answer_or(nullptr, [&]() -> void* { return array_of(array).data(); });
}
int64_t ductile_array_count(const ductile_array* array) {
    return answer_or(-1, [&] { return array_of(array).count(); });
}
int64_t ductile_array_offset(const ductile_array* array) {
    return answer_or(-1, [&] { return array_of(array).offset(); });
}
int64_t ductile_array_elements(const ductile_array* array) {
    return answer_or(-1, [&] { return array_of(array).global_size(); });
}
int64_t ductile_array_width(const ductile_array* array) {
    return answer_or(-1, [&] { return array_of(array).width; });
}

int ductile_array_ranges(const ductile_array* array, ductile_range* ranges, size_t capacity,
                         size_t* count) {
    return guarded([&] { hand_out(array_of(array).ranges(), ranges, capacity, count); });
}
int ductile_array_owner(const ductile_array* array, int64_t element, int* owner) {
    return guarded([&] { *given(owner, "the owner") = array_of(array).owner(element); });
}
int ductile_array_to_local(const ductile_array* array, int64_t element, int64_t* local) {
    return guarded([&] { *given(local, "the local index") = array_of(array).to_local(element); });
}
int ductile_array_to_global(const ductile_array* array, int64_t local, int64_t* element) {
    return guarded([&] { *given(element, "the global index") = array_of(array).to_global(local); });
}
