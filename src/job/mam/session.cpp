#include "job/mam/session.hpp"

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <utility>

#include "ductile/compat/mam.h"
#include "engine/program_moves.hpp"
#include "job/job_access.hpp"
#include "mpi/check.hpp"

namespace ductile::mam {

namespace {

using namespace std::chrono_literals;
using State = ResizeAnswer::State;

// A waiting program computes nothing. Its ranks check together, about this often.
constexpr auto look_every = 1ms;

plan::Executor executor_of(int red_method) {
    switch (red_method) {
        case MAM_RED_POINT:
            return plan::Executor::p2p;
        case MAM_RED_RMA_LOCK:
            return plan::Executor::rma_lock;
        case MAM_RED_RMA_LOCKALL:
            return plan::Executor::rma_lockall;
        default:
            return plan::Executor::alltoallv;
    }
}

// With any of MaM's strategies for redistribution, constant data moves while the program computes.
wire::JoinWish join_of(int red_strategies) {
    return red_strategies == MAM_STRAT_CLEAR_VALUE ? wire::JoinWish::point
                                                   : wire::JoinWish::background;
}

// Settings that nobody has set follow the options of the job.
wire::ResizeRequest request_for(int target, int size, const Configuration& configuration) {
    wire::ResizeRequest request;
    if (target == size)
        request.renew = true;
    else
        request.size = core::SizeRange{target, target};
    if (const auto method = configuration.named(MAM_SPAWN_METHOD); method && !request.renew)
        request.method =
            *method == MAM_SPAWN_BASELINE ? wire::MethodWish::baseline : wire::MethodWish::merge;
    if (const auto method = configuration.named(MAM_RED_METHOD))
        request.redistribution = executor_of(*method);
    const bool starts =
        request.renew || target > size || request.method == wire::MethodWish::baseline;
    if (const auto strategies = configuration.named(MAM_RED_STRATEGIES); strategies && starts)
        request.join = join_of(*strategies);
    return request;
}

void free_comm(MPI_Comm& comm) {
    if (comm != MPI_COMM_NULL && comm != MPI_COMM_WORLD && comm != MPI_COMM_SELF)
        mpi::check(MPI_Comm_free(&comm), "MPI_Comm_free");
}

double seconds(std::chrono::steady_clock::duration time) {
    return std::chrono::duration<double>(time).count();
}

}  // namespace

int state_of(Session::Checkpoint checkpoint) {
    switch (checkpoint) {
        case Session::Checkpoint::pending:
            return MAM_PENDING;
        case Session::Checkpoint::completed:
            return MAM_COMPLETED;
        default:
            return MAM_NOT_STARTED;
    }
}

Session*& current_session() {
    static Session* one = nullptr;
    return one;
}

Session::Session(MPI_Comm* comm, UserFunction own_moves)
    : comm_(comm),
      own_(own_moves.call == nullptr ? nullptr : std::make_shared<OwnMoves>(own_moves)),
      job_(make_job()),
      registered_(job_->replicate("mam.settings", handed_on_)),
      data_(std::make_unique<ProgramData>(*job_)) {
    if (was_added()) {
        configuration_ = Configuration::from(handed_on_.configuration);
        times_ = {handed_on_.spawn, 0, own_seconds(), handed_on_.spawn + own_seconds()};
    } else {
        configuration_ = Configuration::from(std::getenv);
        target_ = target_number_in(std::getenv);
    }
    give_comm();
}

std::unique_ptr<Job> Session::make_job() {
    Schema schema;
    if (own_)
        schema.on_redistribute([own = own_](const DataMove& move) {
            own->seconds = run_user_phase(move.rank_before < 0 ? own->of_new : own->of_others, move,
                                          engine::program_move_is_abandoned);
        });
    int argc = 0;
    char* end = nullptr;
    char** argv = &end;
    return std::make_unique<Job>(argc, argv, Options{}, schema);
}

void Session::give_comm() {
    mpi::check(MPI_Comm_dup(job_->comm(), comm_), "MPI_Comm_dup");
}

Session::Checkpoint Session::checkpoint(bool wait, UserFunction own_moves) {
    if (own_moves.call != nullptr && !own_)
        throw UsageError(
            "the program passes a user function to MAM_Checkpoint, but passed none to MAM_Init: "
            "added processes need the function of MAM_Init");
    if (own_) own_->of_others = own_moves, own_->seconds = 0;
    if (target_ != 0 && !pending_) begin();
    for (;; std::this_thread::sleep_for(look_every)) {
        const auto entered = Clock::now();
        handed_on_ = {configuration_.numbers(), pending_ ? seconds(entered - began_) : 0};
        const auto resized = job_->resize_point();
        if (resized == Resized::leave) leave();
        if (resized == Resized::resized) {
            complete(entered);
            return Checkpoint::completed;
        }
        if (!pending_) return Checkpoint::not_started;
        if (is_over()) return give_up();
        if (!wait) return Checkpoint::pending;
    }
}

void Session::begin() {
    pending_ = true;
    began_ = Clock::now();
    if (job_->rank() == 0) ask();
}

void Session::ask() {
    try {
        JobAccess::ask_for_resize(*job_, request_for(target_, job_->size(), configuration_));
        answer_ = {};
    } catch (const UsageError& error) {
        answer_ = {State::refused, error.what()};
    }
}

bool Session::is_over() {
    if (job_->rank() == 0 && answer_.state == State::none)
        if (auto now = job_->resize_answer(); now.state != State::open) answer_ = std::move(now);
    int state = static_cast<int>(answer_.state);
    mpi::check(MPI_Bcast(&state, 1, MPI_INT, 0, job_->comm()), "MPI_Bcast");
    answer_.state = static_cast<State>(state);
    return answer_.state != State::none;
}

Session::Checkpoint Session::give_up() {
    const auto answer = std::exchange(answer_, {});
    const int target = std::exchange(target_, 0);
    pending_ = false;
    if (answer.state == State::done) return Checkpoint::not_started;
    if (job_->rank() == 0)
        std::fprintf(stderr, "ductile: the program asked for %d ranks and keeps %d: %s\n", target,
                     job_->size(), answer.text.c_str());
    return Checkpoint::denied;
}

void Session::complete(Clock::time_point met) {
    const auto end = Clock::now();
    const auto began = pending_ ? began_ : met;
    times_ = {seconds(met - began), seconds(end - met) - own_seconds(), own_seconds(),
              seconds(end - began)};
    target_ = 0;
    pending_ = false;
    answer_ = {};
    data_->hand_over();
    free_comm(*comm_);
    give_comm();
}

void Session::leave() {
    free_comm(*comm_);
    data_.reset();
    job_.reset();
    if (mpi::is_running()) MPI_Finalize();
    std::exit(0);
}

}  // namespace ductile::mam
