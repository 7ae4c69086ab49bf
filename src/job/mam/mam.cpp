// The functions of MaM.
#include "ductile/compat/mam.h"

#include "job/mam/session.hpp"
#include "job/mam/user_phase.hpp"
#include "job/or_abort.hpp"

namespace {

using ductile::or_abort;
using ductile::UsageError;
using ductile::mam::Configuration;
using ductile::mam::current_session;
using ductile::mam::DataKind;
using ductile::mam::Session;

Session& the_session() {
    if (current_session() == nullptr)
        throw UsageError(
            "it is called before MAM_Init (or DMR_INIT), or after MAM_Finalize (or DMR_FINALIZE)");
    return *current_session();
}

DataKind kind_of(int is_replicated, int is_constant) {
    return {is_replicated != 0, is_constant != 0};
}

template <class Value>
void set(Value* place, const Value& value) {
    if (place != nullptr) *place = value;
}

int set_target(unsigned target) {
    auto& now = the_session();
    if (now.is_pending() || target == 0 || target > 1U << 20U) return MAM_DENIED;
    now.set_target(static_cast<int>(target));
    return static_cast<int>(target);
}

}  // namespace

#undef MAM_Init
#undef MAM_Checkpoint
#undef MAM_Retrieve_times
#undef MPI_Init

int ductile_mam_init_mpi(int* argc, char*** argv) {
    int provided = 0;
    return MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided);
}

int MAM_Init(int /*root*/, MPI_Comm* comm, char* /*name_exec*/, void (*user_function)(void*),
             void* user_args) {
    return or_abort("MAM_Init", [&] {
        if (comm == nullptr) throw UsageError("the pointer to a communicator is NULL");
        if (current_session() != nullptr) throw UsageError("it is called twice");
        current_session() = new Session(comm, {user_function, user_args});
        return current_session()->was_added() ? MAM_TARGETS : MAM_SOURCES;
    });
}

int MAM_Finalize(void) {
    return or_abort("MAM_Finalize", [] {
        delete &the_session();
        current_session() = nullptr;
        return MAM_OK;
    });
}

int MAM_Checkpoint(int* mam_state, int wait_completed, void (*user_function)(void*),
                   void* user_args) {
    return or_abort("MAM_Checkpoint", [&] {
        set(mam_state, static_cast<int>(MAM_UNRESERVED));
        if (current_session() == nullptr) return MAM_DENIED;
        const auto checkpoint = current_session()->checkpoint(
            wait_completed != MAM_CHECK_COMPLETION, {user_function, user_args});
        set(mam_state, ductile::mam::state_of(checkpoint));
        return checkpoint == Session::Checkpoint::denied ? MAM_DENIED : MAM_OK;
    });
}

void MAM_Resume_redistribution(int* mam_state) {
    const bool pending = ductile::mam::end_user_phase() ||
                         (current_session() != nullptr && current_session()->is_pending());
    set(mam_state, static_cast<int>(pending ? MAM_PENDING : MAM_NOT_STARTED));
}

int MAM_Get_Reconf_Info(mam_user_reconf_t* reconf_info) {
    const auto info = ductile::mam::reconf_info();
    if (info) set(reconf_info, *info);
    return info ? MAM_OK : MAM_DENIED;
}

void MAM_Data_add(void* data, size_t* index, size_t total_qty, MPI_Datatype type, int is_replicated,
                  int is_constant) {
    or_abort("MAM_Data_add", [&] {
        set(index,
            the_session().data().add(kind_of(is_replicated, is_constant), data, total_qty, type));
    });
}

void MAM_Data_modify(void* data, size_t index, size_t total_qty, MPI_Datatype type,
                     int is_replicated, int is_constant) {
    or_abort("MAM_Data_modify", [&] {
        the_session().data().modify(kind_of(is_replicated, is_constant), index, data, total_qty,
                                    type);
    });
}

void MAM_Data_get_entries(int is_replicated, int is_constant, size_t* entries) {
    or_abort("MAM_Data_get_entries", [&] {
        set(entries, the_session().data().count(kind_of(is_replicated, is_constant)));
    });
}

void MAM_Data_get_pointer(void** data, size_t index, size_t* total_qty, MPI_Datatype* type,
                          int is_replicated, int is_constant) {
    or_abort("MAM_Data_get_pointer", [&] {
        const auto& entry = the_session().data().entry(kind_of(is_replicated, is_constant), index);
        set(data, entry.data);
        set(total_qty, entry.total);
        set(type, entry.type);
    });
}

int MAM_Set_target_number(unsigned int target_number) {
    return or_abort("MAM_Set_target_number", [&] { return set_target(target_number); });
}

void MAM_Set_configuration(int spawn_method, int spawn_strategies, int spawn_dist, int red_method,
                           int red_strategies) {
    or_abort("MAM_Set_configuration", [&] {
        if (!the_session().is_pending())
            the_session().configuration().set_all(
                {spawn_method, spawn_strategies, spawn_dist, red_method, red_strategies});
    });
}

void MAM_Set_key_configuration(int key, int required, int* provided) {
    or_abort("MAM_Set_key_configuration", [&] {
        set(provided, MAM_DENIED);
        if (required < 0 || the_session().is_pending()) return;
        set(provided, key == MAM_NUM_TARGETS ? set_target(static_cast<unsigned>(required))
                                             : the_session().configuration().set(key, required));
    });
}

int MAM_Contains_strat(int key, unsigned int strategy, int* result) {
    return or_abort("MAM_Contains_strat", [&] {
        const int contained = the_session().configuration().contains(key, strategy) ? 1 : 0;
        set(result, contained);
        return contained;
    });
}

void MAM_Use_valgrind(int /*flag*/) {}
void MAM_Use_extrae(int /*flag*/) {}

void MAM_Retrieve_times(double* rms_time, double* spawn_time, double* sync_time, double* async_time,
                        double* user_time, double* malleability_time) {
    or_abort("MAM_Retrieve_times", [&] {
        const auto& times = the_session().times();
        set(rms_time, 0.0);
        set(spawn_time, times.spawn);
        set(sync_time, times.sync);
        set(async_time, 0.0);
        set(user_time, times.user);
        set(malleability_time, times.all);
    });
}
