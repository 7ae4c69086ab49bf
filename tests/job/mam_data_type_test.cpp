// How processes describe datatypes to each other.
#include "job/mam/data_type.hpp"

#include <cstdio>
#include <functional>
#include <string>

#include "data/type_map.hpp"
#include "ductile/error.hpp"

namespace {

using ductile::mam::DataType;
using ductile::mam::describe;
using ductile::mam::make_slice;
using ductile::mam::make_type;

int failures = 0;

void expect(bool holds, const std::string& what) {
    if (holds) return;
    ++failures;
    std::printf("FAILED: %s\n", what.c_str());
}

void expect_named(MPI_Datatype type, const std::string& name, std::size_t bytes) {
    const auto described = describe(type);
    expect(described.name == name && described.bytes == bytes, name + " is described");
    expect(make_type(described) == type, name + " is made again");
}

MPI_Datatype committed(const std::function<void(MPI_Datatype*)>& create) {
    MPI_Datatype type = MPI_DATATYPE_NULL;
    create(&type);
    MPI_Type_commit(&type);
    return type;
}

void test_slice() {
    const auto slice = committed([](auto* type) { MPI_Type_contiguous(5, MPI_DOUBLE, type); });
    expect(describe(slice) == DataType{"derived", 40}, "a slice");
    const auto part = make_slice({{0, 3}, {8, 8}}, 24);
    MPI_Aint begin = 0, extent = 0;
    int size = 0;
    MPI_Type_get_extent(part, &begin, &extent);
    MPI_Type_size(part, &size);
    expect(begin == 0 && extent == 24 && size == 11, "a slice with gaps");
    expect(ductile::data::stretches_of(part, 24) ==
               std::vector<ductile::data::Stretch>{{0, 3}, {8, 8}},
           "which is what it was made of");
    const auto made = make_type(describe(slice));
    int bytes = 0;
    MPI_Type_size(made, &bytes);
    expect(bytes == 40, "as many bytes");
}

void expect_refused(MPI_Datatype type, const std::string& what) {
    try {
        describe(type);
        expect(false, what);
    } catch (const ductile::InputError&) {
    }
}

/// The columns of a 4 x 4 matrix. Each column begins one element after the previous column.
void test_column() {
    const auto column = committed([](auto* type) { MPI_Type_vector(4, 1, 4, MPI_DOUBLE, type); });
    expect(describe(column).bytes == 13 * sizeof(double), "a column, alone");
    const auto columns =
        committed([&](auto* type) { MPI_Type_create_resized(column, 0, sizeof(double), type); });
    expect_refused(columns, "columns in each other");
    const auto before =
        committed([](auto* type) { MPI_Type_create_resized(MPI_DOUBLE, 0, 4, type); });
    expect_refused(before, "elements that overlap");
    expect_refused(MPI_DATATYPE_NULL, "no type");
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    expect_named(MPI_DOUBLE, "MPI_DOUBLE", sizeof(double));
    expect_named(MPI_INT, "MPI_INT", sizeof(int));
    expect_named(MPI_UINT64_T, "MPI_UINT64_T", 8);
    expect_named(MPI_CHAR, "MPI_CHAR", 1);
    expect(describe(MPI_DOUBLE_INT).bytes == 16, "with its gap");
    test_slice();
    test_column();
    MPI_Finalize();
    std::printf("%d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
