#include "job/mam/data_type.hpp"

#include <array>
#include <limits>

#include "ductile/error.hpp"
#include "mpi/check.hpp"

namespace ductile::mam {

namespace {

constexpr const char* derived = "derived";

const auto& named_types() {
    static const std::array all{MPI_CHAR,
                                MPI_SIGNED_CHAR,
                                MPI_UNSIGNED_CHAR,
                                MPI_BYTE,
                                MPI_SHORT,
                                MPI_UNSIGNED_SHORT,
                                MPI_INT,
                                MPI_UNSIGNED,
                                MPI_LONG,
                                MPI_UNSIGNED_LONG,
                                MPI_LONG_LONG,
                                MPI_UNSIGNED_LONG_LONG,
                                MPI_FLOAT,
                                MPI_DOUBLE,
                                MPI_LONG_DOUBLE,
                                MPI_WCHAR,
                                MPI_C_BOOL,
                                MPI_INT8_T,
                                MPI_INT16_T,
                                MPI_INT32_T,
                                MPI_INT64_T,
                                MPI_UINT8_T,
                                MPI_UINT16_T,
                                MPI_UINT32_T,
                                MPI_UINT64_T,
                                MPI_AINT,
                                MPI_OFFSET,
                                MPI_COUNT,
                                MPI_C_FLOAT_COMPLEX,
                                MPI_C_DOUBLE_COMPLEX,
                                MPI_C_LONG_DOUBLE_COMPLEX,
                                MPI_FLOAT_INT,
                                MPI_DOUBLE_INT,
                                MPI_LONG_INT,
                                MPI_SHORT_INT,
                                MPI_2INT,
                                MPI_LONG_DOUBLE_INT};
    return all;
}

std::string name_of(MPI_Datatype type) {
    std::array<char, MPI_MAX_OBJECT_NAME> name{};
    int length = 0;
    mpi::check(MPI_Type_get_name(type, name.data(), &length), "MPI_Type_get_name");
    return {name.data(), static_cast<std::size_t>(length)};
}

bool is_named(MPI_Datatype type) {
    int integers = 0;
    int addresses = 0;
    int types = 0;
    int combiner = MPI_COMBINER_NAMED;
    mpi::check(MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner),
               "MPI_Type_get_envelope");
    return combiner == MPI_COMBINER_NAMED;
}

struct Extent {
    MPI_Aint begin = 0;
    MPI_Aint bytes = 0;
};

Extent extent_of(MPI_Datatype type) {
    Extent extent;
    mpi::check(MPI_Type_get_extent(type, &extent.begin, &extent.bytes), "MPI_Type_get_extent");
    return extent;
}

Extent true_extent_of(MPI_Datatype type) {
    Extent extent;
    mpi::check(MPI_Type_get_true_extent(type, &extent.begin, &extent.bytes),
               "MPI_Type_get_true_extent");
    return extent;
}

}  // namespace

bool DataType::is_derived() const {
    return name == derived;
}

DataType describe(MPI_Datatype type) {
    if (type == MPI_DATATYPE_NULL) throw InputError("the datatype is MPI_DATATYPE_NULL");
    const auto [begin, bytes] = extent_of(type);
    const auto used = true_extent_of(type);
    if (bytes < 1 || used.begin < 0 || used.begin + used.bytes > bytes)
        throw InputError("elements of the datatype '" + name_of(type) +
                         "' do not lie one after the other in memory");
    if (bytes > std::numeric_limits<int>::max())
        throw InputError("an element of the datatype '" + name_of(type) + "' has more than 2 GiB");
    return {is_named(type) ? name_of(type) : derived, static_cast<std::size_t>(bytes)};
}

MPI_Datatype make_type(const DataType& type) {
    for (const auto one : named_types())
        if (one != MPI_DATATYPE_NULL && type.name != derived && name_of(one) == type.name &&
            static_cast<std::size_t>(extent_of(one).bytes) == type.bytes)
            return one;
    MPI_Datatype bytes = MPI_DATATYPE_NULL;
    mpi::check(MPI_Type_contiguous(static_cast<int>(type.bytes), MPI_BYTE, &bytes),
               "MPI_Type_contiguous");
    mpi::check(MPI_Type_commit(&bytes), "MPI_Type_commit");
    return bytes;
}

MPI_Datatype make_slice(const std::vector<data::Stretch>& stretches, std::size_t bytes) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> offsets;
    for (const auto& stretch : stretches) {
        lengths.push_back(static_cast<int>(stretch.bytes));
        offsets.push_back(static_cast<MPI_Aint>(stretch.offset));
    }
    MPI_Datatype pieces = MPI_DATATYPE_NULL, slice = MPI_DATATYPE_NULL;
    mpi::check(MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(),
                                        offsets.data(), MPI_BYTE, &pieces),
               "MPI_Type_create_hindexed");
    mpi::check(MPI_Type_create_resized(pieces, 0, static_cast<MPI_Aint>(bytes), &slice),
               "MPI_Type_create_resized");
    mpi::check(MPI_Type_free(&pieces), "MPI_Type_free");
    mpi::check(MPI_Type_commit(&slice), "MPI_Type_commit");
    return slice;
}

}  // namespace ductile::mam
