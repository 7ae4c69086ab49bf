// The checks of a process, as wrappers and hooks use them.
#include <cstdlib>
#include <memory>
#include <optional>
#include <thread>

#include "check/call.hpp"
#include "check/notify_user.hpp"
#include "check/watch_memory.hpp"
#include "check/watchdog.hpp"
#include "ductile/error.hpp"
#include "engine/check_hook.hpp"

namespace ductile::check {

bool is_on = false;

namespace {

struct Checks {
    explicit Checks(const Mode& how) : mode(how) {}

    const Mode mode;
    Activity activity;
    JobView view;
    SideChannel channel;
    Watchdog watchdog{mode, activity, view, channel};
    std::once_flag watched;
};

// Never destroyed: threads may use it when the process ends.
Checks* checks = nullptr;

void start() {
    try {
        const auto mode =
            read_mode(std::getenv("DUCTILE_CHECK"), std::getenv("DUCTILE_CHECK_AFTER"));
        if (mode.on) checks = new Checks(mode);
        is_on = mode.on;
        if (is_on) watch_memory([] { return checks->view.who(); });
    } catch (const Error& error) {
        notify_user({error.what()});
        end_program();
    }
}

}  // namespace

void Call::enter(CallSite site, Kind kind, MPI_Comm comm, Peer peer) {
    auto seen = checks->view.see(site, kind, comm, peer);
    is_programs_ = seen.is_programs;
    site_ = site;
    comm_ = comm;
    peer_ = peer;
    if (!is_programs_) return;
    if (!seen.finding.empty()) {
        notify_user({seen.finding});
        if (checks->mode.ends) end_program();
    }
    if (kind != Kind::message && kind != Kind::collective) return;
    is_entered_ = true;
    checks->activity.enter(site.name, seen.about, seen.collective);
}

void Call::leave() {
    checks->activity.leave();
}

void Call::note_made(MPI_Comm made) {
    checks->view.forget(made);
}

void Call::note_made(MPI_Comm made, MPI_Comm parent) {
    checks->view.made(made, parent);
}

void Call::note_began(MPI_Request request) const {
    checks->view.began(request, site_, comm_, peer_);
}

void Waiting::enter(CallSite site, int count, const MPI_Request* requests) {
    if (!checks->view.is_programs(site.caller)) return;
    is_entered_ = true;
    checks->activity.enter(site.name, checks->view.about(count, requests));
}

void Waiting::leave() {
    checks->activity.leave();
}

void freed(MPI_Comm comm) {
    if (is_on) checks->view.freed(comm);
}

[[gnu::constructor]] static void start_checks() {
    start();
}

}  // namespace ductile::check

using ductile::check::checks;

// A Job needs MPI_THREAD_MULTIPLE, so the watchdog's thread may call MPI.
extern "C" void ductile_check_job(MPI_Comm job, MPI_Comm side, std::int64_t point, int newcomer) {
    if (!ductile::check::is_on) return;
    checks->view.job_is(job, point, newcomer != 0);
    checks->channel.open(job, side);
    std::call_once(checks->watched, [] { std::thread([] { checks->watchdog.run(); }).detach(); });
}

extern "C" void ductile_check_no_job() {
    if (!ductile::check::is_on) return;
    checks->channel.close();
    checks->view.job_ends();
}

extern "C" void ductile_check_lends(MPI_Comm comm) {
    if (ductile::check::is_on) checks->view.forget(comm);
}

extern "C" void ductile_check_one_world() {
    if (ductile::check::is_on) checks->view.world_is_job();
}

extern "C" void ductile_check_waits(const char* function) {
    if (!ductile::check::is_on) return;
    if (function != nullptr)
        checks->activity.enter(function, "");
    else
        checks->activity.leave();
}
