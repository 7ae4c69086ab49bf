// The C interface of a job: its life, its resize points, its replicated values.
#include <functional>
#include <string>
#include <vector>

#include "ductile/ductile.h"
#include "ductile/job.hpp"
#include "job/c_call.hpp"
#include "job/c_handles.hpp"
#include "job/job_access.hpp"
#include "job/memory_access.hpp"

namespace {

using ductile::Job;
using ductile::Options;
using ductile::ProgramMemory;
using ductile::Resized;
using ductile::c::answer_or;
using ductile::c::given;
using ductile::c::guarded;
using ductile::c::job_of;

static_assert(static_cast<int>(Resized::unchanged) == DUCTILE_UNCHANGED);
static_assert(static_cast<int>(Resized::pending) == DUCTILE_PENDING);
static_assert(static_cast<int>(Resized::resized) == DUCTILE_RESIZED);
static_assert(static_cast<int>(Resized::leave) == DUCTILE_LEAVE);
static_assert(static_cast<int>(ductile::ResizeAnswer::State::lost) == DUCTILE_ASKED_LOST);

Options options_of(const ductile_options& from) {
    Options options;
    options.min = from.min;
    options.max = from.max;
    options.preferred = from.preferred;
    options.multiple = from.multiple;
    options.inhibitor_points = from.inhibitor_points;
    options.inhibitor = std::chrono::milliseconds(from.inhibitor_ms);
    options.one_world = from.one_world != 0;
    return options;
}

std::vector<ProgramMemory> pieces_of(const ductile_memory* pieces, std::size_t count) {
    std::vector<ProgramMemory> all;
    for (std::size_t i = 0; i < count; ++i) {
        const auto& [data, bytes] = given(pieces, "the pieces of memory")[i];
        if (bytes > 0) given(data, "a piece of memory");
        all.push_back({static_cast<std::byte*>(data), bytes});
    }
    return all;
}

void replicate(ductile_job* job, const char* name, std::vector<ProgramMemory> pieces,
               ductile_value** value) {
    if (value != nullptr) *value = nullptr;
    const auto type = ductile::type_of_memory(pieces);
    auto registration = ductile::JobAccess::add_replicated(
        job_of(job), given(name, "the name of a value"), type,
        std::make_unique<ductile::MemoryAccess>(std::move(pieces)));
    if (value != nullptr)
        *value = new ductile_value{std::move(registration)};
    else
        job->kept.push_back(std::move(registration));
}

std::function<void()> hook(ductile_hook* function, void* user, const char* what) {
    given(function, "a function of the program");
    return [function, user, what] {
        if (const int code = function(user); code != 0)
            throw ductile::Error(std::string("the program's function `") + what + "` returned " +
                                 std::to_string(code));
    };
}

}  // namespace

int ductile_job_create(int* argc, char*** argv, const ductile_options* options, ductile_job** job) {
    return ductile_job_create_with_schema(argc, argv, options, nullptr, job);
}

int ductile_job_create_with_schema(int* argc, char*** argv, const ductile_options* options,
                                   const ductile_schema* schema, ductile_job** job) {
    return guarded([&] {
        *given(job, "the new job's handle") = nullptr;
        int no_words = 0;
        char* end = nullptr;
        char** no_list = &end;
        const bool words = argc != nullptr && argv != nullptr;
        *job = new ductile_job(words ? *argc : no_words, words ? *argv : no_list,
                               options == nullptr ? Options{} : options_of(*options),
                               schema == nullptr ? ductile::Schema() : schema->schema);
    });
}

int ductile_job_free(ductile_job** job) {
    return guarded([&] {
        delete *given(job, "the handle");
        *job = nullptr;
    });
}

int ductile_job_fresh(const ductile_job* job) {
    return answer_or(0, [&] { return job_of(job).fresh() ? 1 : 0; });
}
int ductile_job_member(const ductile_job* job) {
    return answer_or(0, [&] { return job_of(job).member() ? 1 : 0; });
}
int ductile_job_rank(const ductile_job* job) {
    return answer_or(-1, [&] { return job_of(job).rank(); });
}
int ductile_job_size(const ductile_job* job) {
    return answer_or(-1, [&] { return job_of(job).size(); });
}
int ductile_job_hosts(const ductile_job* job, ductile_rank_host* hosts) {
    return guarded([&] {
        given(hosts, "the array for hosts");
        for (const auto& one : job_of(job).hosts())
            *hosts++ = {one.host, one.slots, one.ranks, one.local_rank};
    });
}
MPI_Comm ductile_job_comm(const ductile_job* job) {
    return answer_or(MPI_COMM_NULL, [&] { return job_of(job).comm(); });
}
const char* ductile_job_id(const ductile_job* job) {
    return answer_or("", [&] { return job_of(job).id().c_str(); });
}

int ductile_job_resize_point(ductile_job* job, int* answer) {
    return guarded([&] {
        *given(answer, "the answer of a resize point") = DUCTILE_UNCHANGED;
        *answer = static_cast<int>(job_of(job).resize_point());
    });
}

int ductile_job_on_rebuild(ductile_job* job, ductile_hook* rebuild, void* user) {
    return guarded([&] { job_of(job).on_rebuild(hook(rebuild, user, "on_rebuild")); });
}

int ductile_job_before_move(ductile_job* job, ductile_hook* before, void* user) {
    return guarded([&] { job_of(job).before_move(hook(before, user, "before_move")); });
}

int ductile_job_request_resize(ductile_job* job, int ranks) {
    return guarded([&] { job_of(job).request_resize(ranks); });
}

int ductile_job_resize_answer(ductile_job* job, int* state, const char** text) {
    return guarded([&] {
        auto answer = job_of(job).resize_answer();
        *given(state, "the state of the request") = static_cast<int>(answer.state);
        job->resize_text = std::move(answer.text);
        if (text != nullptr) *text = job->resize_text.c_str();
    });
}

int ductile_job_replicate(ductile_job* job, const char* name, void* data, size_t bytes,
                          ductile_value** value) {
    return guarded([&] {
        const ductile_memory piece{data, bytes};
        replicate(job, name, pieces_of(&piece, 1), value);
    });
}

int ductile_job_replicate_several(ductile_job* job, const char* name, const ductile_memory* pieces,
                                  size_t count, ductile_value** value) {
    return guarded([&] { replicate(job, name, pieces_of(pieces, count), value); });
}

int ductile_value_free(ductile_value** value) {
    return guarded([&] {
        delete *given(value, "the handle");
        *value = nullptr;
    });
}
