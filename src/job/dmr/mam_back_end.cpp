// The back end over MaM's functions: Ductile redistributes.
#include "ductile/compat/dmr.h"
#include "job/dmr/back_end.hpp"
#include "job/mam/session.hpp"
#include "mpi/check.hpp"

namespace ductile::dmr {

namespace {

class MamBackEnd final : public BackEnd {
  public:
    MamBackEnd() {
        if (mam::current_session() != nullptr)
            throw UsageError("the program has called MAM_Init already: call only DMR_INIT");
        mam::current_session() = new mam::Session(&DMR_COMM);
        MaM_is_children = mam::current_session()->was_added() ? MAM_TARGETS : MAM_SOURCES;
    }
    MamBackEnd(const MamBackEnd&) = delete;
    MamBackEnd& operator=(const MamBackEnd&) = delete;
    ~MamBackEnd() override {
        if (DMR_COMM != MPI_COMM_NULL && mpi::is_running()) MPI_Comm_free(&DMR_COMM);
        delete mam::current_session();
        mam::current_session() = nullptr;
        MaM_state = MAM_UNRESERVED;
    }

    Job& job() override { return session().job(); }
    [[nodiscard]] bool is_one_world() const override { return false; }
    void begin_redistribution() override {}  // the data has arrived already
    std::optional<int> reconfigure() override {
        checkpoint(false);
        return MaM_state == MAM_COMPLETED ? std::optional(job().size()) : std::nullopt;
    }
    void end_redistribution() override {}  // leavers have ended already
    void complete() override {
        if (MaM_state == MAM_PENDING) checkpoint(true);
    }

  private:
    static mam::Session& session() {
        auto* session = mam::current_session();
        if (session == nullptr)
            throw UsageError("the program has called MAM_Finalize: call only DMR_FINALIZE");
        return *session;
    }
    static void checkpoint(bool wait) { MaM_state = mam::state_of(session().checkpoint(wait)); }
};

}  // namespace

std::unique_ptr<BackEnd> make_mam_back_end() {
    return std::make_unique<MamBackEnd>();
}

}  // namespace ductile::dmr
