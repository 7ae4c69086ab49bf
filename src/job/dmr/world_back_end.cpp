// Works like DMRlib: a resize replaces all processes by those of one new world. Old and new
// processes redistribute over an intercommunicator.
#include <cstdlib>
#include <string>

#include "ductile/compat/dmr.h"
#include "job/dmr/back_end.hpp"
#include "job/job_access.hpp"
#include "job/mpi_runtime.hpp"
#include "mpi/comm.hpp"

namespace ductile::dmr {

namespace {

std::unique_ptr<Job> make_job() {
    int argc = 0;
    char* end = nullptr;
    char** argv = &end;
    Options options;
    options.one_world = true;
    return std::make_unique<Job>(argc, argv, options);
}

class WorldBackEnd final : public BackEnd {
  public:
    WorldBackEnd()
        : job_(make_job()),
          world_(mpi::duplicate(MPI_COMM_WORLD)),
          registered_port_(job_->replicate("dmr.port", port_)) {
        if (!job_->id().empty()) MpiRuntime::expect_ports();
        expect_world();
        DMR_COMM = MPI_COMM_WORLD;
        // The old processes have left the job when they send. The resize gives new processes only
        // this port, by which they find the old processes.
        job_->before_move([this] {
            if (job_->rank() == 0) port_ = mpi::open_port(0);
        });
    }
    WorldBackEnd(const WorldBackEnd&) = delete;
    WorldBackEnd& operator=(const WorldBackEnd&) = delete;
    ~WorldBackEnd() override = default;

    Job& job() override { return *job_; }
    [[nodiscard]] bool is_one_world() const override { return true; }
    void begin_redistribution() override { hand_out(mpi::connect(port_, world_)); }
    std::optional<int> reconfigure() override {
        const auto resized = job_->resize_point();
        if (resized == Resized::resized)
            throw SystemError("the job was resized, and not all processes were replaced");
        if (resized != Resized::leave) return std::nullopt;
        JobAccess::give_data(*job_, true);
        hand_out(mpi::accept(port_, world_));
        int size = 0;
        mpi::check(MPI_Comm_remote_size(DMR_INTERCOMM, &size), "MPI_Comm_remote_size");
        return size;
    }
    void end_redistribution() override {
        if (DMR_INTERCOMM != MPI_COMM_NULL)
            mpi::check(MPI_Comm_disconnect(&DMR_INTERCOMM), "MPI_Comm_disconnect");
        if (job_->member()) return;
        JobAccess::give_data(*job_, false);
        leave();
    }
    void complete() override {}  // this back end requests no resizes

  private:
    void expect_world() const {
        int same = MPI_UNEQUAL;
        mpi::check(MPI_Comm_compare(MPI_COMM_WORLD, job_->comm(), &same), "MPI_Comm_compare");
        if (same != MPI_CONGRUENT)
            throw SystemError("MPI_COMM_WORLD does not have the processes of the job");
    }
    // The intercommunicator belongs to the program: errors on it end the program, unless the
    // program has set another error handler for its world.
    static void hand_out(mpi::Comm between) {
        mpi::take_error_handler(MPI_COMM_WORLD, between);
        DMR_INTERCOMM = between.release();
    }
    [[noreturn]] void leave() {
        world_.reset();
        job_.reset();
        if (mpi::is_running() && MpiRuntime::finalises()) MPI_Finalize();
        std::exit(0);
    }

    std::unique_ptr<Job> job_;
    mpi::Comm world_;
    std::string port_;  ///< the port at which old processes accept new ones
    Replicated<std::string> registered_port_;
};

}  // namespace

std::unique_ptr<BackEnd> make_world_back_end() {
    return std::make_unique<WorldBackEnd>();
}

}  // namespace ductile::dmr
