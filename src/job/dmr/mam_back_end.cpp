// By MaM's functions: Ductile redistributes.
#include "ductile/compat/dmr.h"
#include "job/dmr/back_end.hpp"
#include "job/mam/session.hpp"
#include "mpi/check.hpp"

namespace ductile::dmr {

namespace {

class MamBackEnd final : public BackEnd {
  public:
    MamBackEnd() { MaM_is_children = (MAM_Init)(0, &DMR_COMM, nullptr, nullptr, nullptr); }
    MamBackEnd(const MamBackEnd&) = delete;
    MamBackEnd& operator=(const MamBackEnd&) = delete;
    ~MamBackEnd() override {
        if (DMR_COMM != MPI_COMM_NULL && mpi::is_running()) MPI_Comm_free(&DMR_COMM);
        MAM_Finalize();
        MaM_state = MAM_UNRESERVED;
    }

    Job& job() override {
        auto* session = mam::current_session();
        if (session == nullptr)
            throw UsageError("the program has called MAM_Finalize: DMR_FINALIZE does that");
        return session->job();
    }
    [[nodiscard]] bool is_one_world() const override { return false; }
    void begin_redistribution() override {}  // what has arrived is there
    std::optional<int> reconfigure() override {
        checkpoint(MAM_CHECK_COMPLETION);
        return MaM_state == MAM_COMPLETED ? std::optional(job().size()) : std::nullopt;
    }
    void end_redistribution() override {}  // who is not needed any more has ended
    void complete() override {
        if (MaM_state == MAM_PENDING) checkpoint(MAM_WAIT_COMPLETION);
    }

  private:
    static void checkpoint(int wait) { (MAM_Checkpoint)(&MaM_state, wait, nullptr, nullptr); }
};

}  // namespace

std::unique_ptr<BackEnd> make_mam_back_end() {
    return std::make_unique<MamBackEnd>();
}

}  // namespace ductile::dmr
