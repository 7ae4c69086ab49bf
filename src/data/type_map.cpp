#include "data/type_map.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "ductile/error.hpp"
#include "mpi/check.hpp"

namespace ductile::data {

namespace {

void expect_to_lie_within(MPI_Datatype type, std::int64_t element_bytes) {
    if (type == MPI_DATATYPE_NULL) throw InputError("the datatype is MPI_DATATYPE_NULL");
    MPI_Aint begin = 0, bytes = 0, first = 0, used = 0;
    mpi::check(MPI_Type_get_extent(type, &begin, &bytes), "MPI_Type_get_extent");
    mpi::check(MPI_Type_get_true_extent(type, &first, &used), "MPI_Type_get_true_extent");
    if (bytes != element_bytes || first < 0 || first + used > bytes)
        throw InputError("an element has " + std::to_string(element_bytes) +
                         " bytes, and the datatype an extent of " + std::to_string(bytes) +
                         ", with data from " + std::to_string(first) + " to " +
                         std::to_string(first + used) +
                         "; use MPI_Type_create_resized to give it the size of an element");
    if (bytes > std::numeric_limits<int>::max() / 2)
        throw InputError("an element that moves in part must have less than 1 GiB");
}

/// True for most types: their bytes need no further look.
bool has_no_gaps(MPI_Datatype type, std::int64_t element_bytes) {
    if (type == MPI_DATATYPE_NULL) return false;
    MPI_Count size = 0;
    MPI_Aint begin = 0, bytes = 0, first = 0, used = 0;
    mpi::check(MPI_Type_size_x(type, &size), "MPI_Type_size_x");
    mpi::check(MPI_Type_get_extent(type, &begin, &bytes), "MPI_Type_get_extent");
    mpi::check(MPI_Type_get_true_extent(type, &first, &used), "MPI_Type_get_true_extent");
    return size == element_bytes && bytes == element_bytes && used == element_bytes && first == 0;
}

/// Where each byte of a packed element comes from. MPI_Pack knows this for every datatype. So this
/// packs elements in which each byte holds a part of its own offset.
std::vector<std::int64_t> places_of_packed(MPI_Datatype type, std::int64_t element_bytes) {
    int size = 0, room = 0;
    mpi::check(MPI_Type_size(type, &size), "MPI_Type_size");
    mpi::check(MPI_Pack_size(1, type, MPI_COMM_SELF, &room), "MPI_Pack_size");
    std::vector<unsigned char> element(static_cast<std::size_t>(element_bytes));
    std::vector<unsigned char> packed(static_cast<std::size_t>(std::max(room, size)));
    std::vector<std::int64_t> places(static_cast<std::size_t>(size));
    for (int shift = 0; (element_bytes - 1) >> shift != 0 || shift == 0; shift += 8) {
        for (std::size_t at = 0; at < element.size(); ++at)
            element[at] = static_cast<unsigned char>(at >> static_cast<unsigned>(shift));
        int end = 0;
        mpi::check(MPI_Pack(element.data(), 1, type, packed.data(), static_cast<int>(packed.size()),
                            &end, MPI_COMM_SELF),
                   "MPI_Pack");
        if (end != size) throw InputError("MPI_Pack does not pack the datatype byte by byte");
        for (std::size_t i = 0; i < places.size(); ++i)
            places[i] |= std::int64_t{packed[i]} << shift;
    }
    return places;
}

}  // namespace

std::vector<Stretch> stretches_of(MPI_Datatype type, std::int64_t element_bytes) {
    if (has_no_gaps(type, element_bytes)) return {};
    expect_to_lie_within(type, element_bytes);
    auto places = places_of_packed(type, element_bytes);
    std::ranges::sort(places);
    std::vector<Stretch> stretches;
    for (const auto place : places) {
        if (stretches.empty() || stretches.back().end() < place) stretches.push_back({place, 0});
        stretches.back().bytes = place + 1 - stretches.back().offset;
    }
    if (stretches.empty()) throw InputError("the datatype has no data");
    if (stretches.size() > most_stretches)
        throw InputError("the datatype has " + std::to_string(stretches.size()) +
                         " pieces; at most " + std::to_string(most_stretches) + " are possible");
    if (stretches == std::vector<Stretch>{{0, element_bytes}}) return {};
    return stretches;
}

}  // namespace ductile::data
