// Which bytes of an element move by a datatype, and arrays with such a datatype.
#include "data/type_map.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "data/registry.hpp"
#include "ductile/error.hpp"

namespace {

using namespace ductile;
using data::Stretch;

int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    ++failures;
    std::printf("FAILED: %s\n", what);
}

template <class Error, class Call>
bool throws(Call call) {
    try {
        call();
    } catch (const Error&) {
        return true;
    }
    return false;
}

/// A datatype that is freed at the end of its scope.
class Type {
  public:
    template <class Make>
    explicit Type(Make make) {
        make(&type_);
        MPI_Type_commit(&type_);
    }
    ~Type() { MPI_Type_free(&type_); }
    Type(const Type&) = delete;
    Type& operator=(const Type&) = delete;
    operator MPI_Datatype() const { return type_; }  // NOLINT: as MPI takes it

  private:
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

Type resized(MPI_Datatype type, MPI_Aint bytes) {
    return Type([&](auto* made) { MPI_Type_create_resized(type, 0, bytes, made); });
}

struct Particle {
    double position[3];
    float force[3];  ///< does not move: it is computed again
    int species;
};

void of_all() {
    const std::vector<Stretch> all;
    expect(data::stretches_of(MPI_DOUBLE, 8) == all, "a double");
    const Type three([](auto* type) { MPI_Type_contiguous(3, MPI_INT, type); });
    expect(data::stretches_of(three, 12) == all, "three numbers");
}

void of_a_part() {
    const std::array<int, 2> lengths{3, 1};
    const std::array<MPI_Aint, 2> places{offsetof(Particle, position), offsetof(Particle, species)};
    const std::array<MPI_Datatype, 2> types{MPI_DOUBLE, MPI_INT};
    const Type fields([&](auto* type) {
        MPI_Type_create_struct(2, lengths.data(), places.data(), types.data(), type);
    });
    const auto particle = resized(fields, sizeof(Particle));
    expect(data::stretches_of(particle, sizeof(Particle)) ==
               std::vector<Stretch>{{0, 24}, {offsetof(Particle, species), 4}},
           "fields of a structure");
    const Type two([&](auto* type) { MPI_Type_contiguous(2, particle, type); });
    expect(data::stretches_of(two, 2 * sizeof(Particle)).size() == 3,
           "two of them: the second one's position is next to the first one's species");

    const Type column([](auto* type) { MPI_Type_vector(100, 1, 7, MPI_DOUBLE, type); });
    const auto stretches = data::stretches_of(resized(column, 5600), 5600);
    expect(stretches.size() == 100 && stretches[99] == Stretch{5544, 8}, "a column of a matrix");

    const std::array sizes{4, 6}, parts{2, 3}, starts{1, 2};
    const Type block([&](auto* type) {
        MPI_Type_create_subarray(2, sizes.data(), parts.data(), starts.data(), MPI_ORDER_C,
                                 MPI_SHORT, type);
    });
    expect(data::stretches_of(block, 48) == std::vector<Stretch>{{16, 6}, {28, 6}}, "a block");

    const std::array<int, 2> twice{0, 0};
    const Type again(
        [&](auto* type) { MPI_Type_create_indexed_block(2, 1, twice.data(), MPI_INT, type); });
    expect(data::stretches_of(resized(again, 8), 8) == std::vector<Stretch>{{0, 4}}, "one twice");
}

void of_none() {
    const auto refused = [](MPI_Datatype type, std::int64_t bytes) {
        return throws<InputError>([&] { data::stretches_of(type, bytes); });
    };
    expect(refused(MPI_DATATYPE_NULL, 8), "no type");
    expect(refused(MPI_INT, 8), "a type that is smaller than an element");
    const Type column([](auto* type) { MPI_Type_vector(4, 1, 4, MPI_DOUBLE, type); });
    expect(refused(resized(column, 8), 8), "elements that overlap");
    const Type many([](auto* type) { MPI_Type_vector(5000, 1, 2, MPI_CHAR, type); });
    expect(refused(resized(many, 10000), 10000), "too many pieces");
    const Type nothing([](auto* type) { MPI_Type_contiguous(0, MPI_INT, type); });
    expect(refused(resized(nothing, 8), 8), "no data");
}

void of_an_array() {
    data::Registry registry;
    const data::ArraySpec spec{"p", "particle", 1, 16, 10};
    const auto array = data::add_array(registry, spec, {}, 0, 1);
    const auto before = data::bytes_in_all(registry);
    const auto half = resized(MPI_DOUBLE, 16);
    data::move_only(registry, "p", half);
    expect(array->spec.moving == std::vector<Stretch>{{0, 8}}, "its elements move in part");
    expect(data::bytes_in_all(registry) == before / 2, "and count so");
    expect(throws<InputError>([&] { data::move_only(registry, "p", MPI_INT); }), "a wrong type");
    expect(throws<UsageError>([&] { data::move_only(registry, "q", half); }), "no such array");
    auto rows = spec;
    rows.name = "r", rows.kind = data::Elements::rows;
    data::add_array(registry, rows, {}, 0, 1);
    expect(throws<UsageError>([&] { data::move_only(registry, "r", half); }), "rows");

    // An added process gets this choice with the array, before it calls move_only().
    data::Registry fresh;
    const auto arrays = data::outgoing(registry, {1, 1});
    data::keep_parts(fresh, {arrays[0]},
                     data::allocate_parts(core::Rank{0}, {{}, {core::Rank{0}}}, {arrays[0]}));
    expect(data::add_array(fresh, spec, {}, 0, 1)->spec.moving == array->spec.moving,
           "it has arrived so");
    data::move_only(registry, "p",
                    Type([](auto* type) { MPI_Type_contiguous(16, MPI_BYTE, type); }));
    expect(array->spec.moving.empty(), "all of it again");
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    of_all();
    of_a_part();
    of_none();
    of_an_array();
    MPI_Finalize();
    return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
