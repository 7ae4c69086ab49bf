// The functions and variables of DMR.
#include "ductile/compat/dmr.h"

#include "job/dmr/program.hpp"
#include "job/or_abort.hpp"

extern "C" {
int DMR_it = 0;
MPI_Comm DMR_COMM = MPI_COMM_NULL;
MPI_Comm DMR_INTERCOMM = MPI_COMM_NULL;
int DMR_comm_rank = 0;
int DMR_comm_size = 0;
int DMR_comm_prev_size = 0;
int DMR_action = 0;
int DMR_min = 0;
int DMR_max = 0;
int DMR_pref = 0;
int MaM_state = MAM_UNRESERVED;
int MaM_is_children = MAM_SOURCES;
}

namespace {

using ductile::or_abort;
using ductile::UsageError;
using ductile::dmr::Program;

/// Set between DMR_INIT and DMR_FINALIZE. Nothing destroys it at exit: a program that ends without
/// DMR_FINALIZE must not wait for other processes.
Program*& current_program() {
    static Program* one = nullptr;
    return one;
}

Program& the_program() {
    if (current_program() == nullptr)
        throw UsageError("it is called before DMR_INIT or after DMR_FINALIZE");
    return *current_program();
}

void set_limits(int min, int max, int preferred, int multiple) {
    DMR_min = min;
    DMR_max = max;
    DMR_pref = preferred;
    the_program().set_limits({min, max, preferred, multiple});
}

}  // namespace

int ductile_dmr_init(int back_end) {
    return or_abort("DMR_INIT", [&] {
        if (current_program() != nullptr) throw UsageError("it is called twice");
        current_program() =
            new Program(back_end == DUCTILE_DMR_BY_DMRLIB ? ductile::dmr::make_world_back_end()
                                                          : ductile::dmr::make_mam_back_end());
        return current_program()->was_added() ? 1 : 0;
    });
}

int ductile_dmr_check(void) {
    return or_abort("DMR_RECONFIGURATION", [] { return the_program().check() ? 1 : 0; });
}

int DMR_Reconfiguration(char* /*argv*/[], MPI_Comm* intercomm, int min, int max, int multiple,
                        int preferred) {
    return or_abort("DMR_Reconfiguration", [&] {
        set_limits(min, max, preferred, multiple);
        static_cast<void>(the_program().check());
        if (intercomm != nullptr) *intercomm = DMR_INTERCOMM;
        return DMR_action;
    });
}

// Does nothing: when DMR_INIT returns in an added process, the resize is committed.
void ductile_dmr_wait_stabilization(void) {
    or_abort("DMR_Wait_stabilization", [] { the_program(); });
}

void ductile_dmr_detach(void) {
    or_abort("DMR_Detach", [] { the_program().end_redistribution(); });
}

void ductile_dmr_complete(void) {
    or_abort("DMR_FINALIZE", [] { the_program().complete(); });
}

void ductile_dmr_finalize(void) {
    or_abort("DMR_FINALIZE", [] {
        delete &the_program();
        current_program() = nullptr;
    });
}

void ductile_dmr_limits(int min, int max, int preferred, int multiple) {
    or_abort("DMR_Set_parameters", [&] { set_limits(min, max, preferred, multiple); });
}

void DMR_Inhibit_iter(int steps) {
    or_abort("DMR_Inhibit_iter", [&] { the_program().look_at_each(steps); });
}

void DMR_Inhibit_time(double seconds) {
    or_abort("DMR_Inhibit_time", [&] { the_program().inhibit_for(seconds); });
}

int ductile_dmr_get_parent(MPI_Comm* parent) {
    return or_abort("MPI_Comm_get_parent", [&] {
        the_program();
        *parent = DMR_INTERCOMM;
        return MPI_SUCCESS;
    });
}
