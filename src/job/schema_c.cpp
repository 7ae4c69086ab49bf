// The C interface of a schema: functions that new processes also call.
#include <string>
#include <utility>

#include "job/c_handles.hpp"

namespace {

using ductile::c::given;
using ductile::c::guarded;

void expect_done(int code, const char* what) {
    if (code != 0)
        throw ductile::Error(std::string("the program's function to ") + what + " returned " +
                             std::to_string(code));
}

ductile_data_move to_c(const ductile::DataMove& move) {
    return {move.comm,           move.rank,
            move.sources.data(), static_cast<int>(move.sources.size()),
            move.targets.data(), static_cast<int>(move.targets.size()),
            move.rank_before,    move.rank_after};
}

ductile::Device device_of(int device) {
    switch (device) {
        case DUCTILE_DEVICE_NONE:
            return ductile::Device::none;
        case DUCTILE_DEVICE_CUDA:
            return ductile::Device::cuda;
        case DUCTILE_DEVICE_HIP:
            return ductile::Device::hip;
        case DUCTILE_DEVICE_LEVEL_ZERO:
            return ductile::Device::level_zero;
        default:
            throw ductile::UsageError("the device " + std::to_string(device) + " does not exist");
    }
}

}  // namespace

int ductile_schema_create(ductile_schema** schema) {
    return guarded([&] {
        *given(schema, "the new schema's handle") = nullptr;
        *schema = new ductile_schema;
    });
}

int ductile_schema_on_prepare(ductile_schema* schema, ductile_prepare_function* prepare,
                              void* user) {
    return guarded([&] {
        given(prepare, "a function of the program");
        given(schema, "the schema")->schema.on_prepare([prepare, user](ductile::Place next) {
            expect_done(prepare({next.rank, next.size}, user), "prepare");
        });
    });
}

int ductile_schema_on_redistribute(ductile_schema* schema,
                                   ductile_redistribute_function* redistribute, void* user) {
    return guarded([&] {
        given(redistribute, "a function of the program");
        given(schema, "the schema")
            ->schema.on_redistribute([redistribute, user](const ductile::DataMove& move) {
                const auto told = to_c(move);
                expect_done(redistribute(&told, user), "redistribute");
            });
    });
}

int ductile_schema_keep_in(ductile_schema* schema, const char* array,
                           const ductile_array_memory* memory, void* user) {
    return guarded([&] {
        const auto functions = *given(memory, "the memory of an array");
        ductile::ArrayMemory kept;
        if (functions.allocate != nullptr)
            kept.allocate = [functions, user](std::size_t n) {
                return functions.allocate(n, user);
            };
        if (functions.free != nullptr)
            kept.free = [functions, user](void* at, std::size_t n) { functions.free(at, n, user); };
        if (functions.copy_out != nullptr)
            kept.copy_out = [functions, user](void* to, const void* from, std::size_t n) {
                functions.copy_out(to, from, n, user);
            };
        if (functions.copy_in != nullptr)
            kept.copy_in = [functions, user](void* to, const void* from, std::size_t n) {
                functions.copy_in(to, from, n, user);
            };
        kept.device = device_of(functions.device);
        given(schema, "the schema")
            ->schema.keep_in(given(array, "the name of an array"), std::move(kept));
    });
}

int ductile_schema_free(ductile_schema** schema) {
    return guarded([&] {
        delete *given(schema, "the handle");
        *schema = nullptr;
    });
}
