#include "agent/lone_program.hpp"

#include <csignal>
#include <utility>

#include "core/overloaded.hpp"
#include "os/tcp_peer.hpp"
#include "pmi/port.hpp"
#include "pmi/process_mapping.hpp"

namespace ductile::agent {

namespace {

constexpr pmi::WorldRank only_rank{0};
constexpr const char* no_member = "it is no rank of the job";

pmi::WorldOptions world_of_one() {
    pmi::WorldOptions options{new_world_name(), 1, {}, {}};
    options.ranks.push_back({only_rank, 0});
    if (auto mapping = pmi::process_mapping({{0, 1}}))
        options.keys["PMI_process_mapping"] = std::move(*mapping);
    return options;
}

}  // namespace

LoneProgram::LoneProgram(PmiProgram program, pid_t process, Events events)
    : program_(std::move(program)),
      process_(process),
      events_(std::move(events)),
      world_(world_of_one()) {}

void LoneProgram::start() {
    const auto weak = weak_from_this();
    program_.socket->hand_over(
        [weak](const std::vector<std::string>& lines) {
            if (const auto self = weak.lock()) self->on_lines(lines);
        },
        [weak] {
            if (const auto self = weak.lock()) self->events_.ended(*self);
        });
    program_.socket->send(pmi::greeting(1, only_rank.value));
}

void LoneProgram::on_lines(const std::vector<std::string>& lines) {
    // MPI takes a program for a spawned one if the rank around it was (PMI_SPAWNED).
    for (const auto& line : lines)
        if (line.find("key=PARENT_ROOT_PORT_NAME") != line.npos)
            say_that_it_fails("MPI_Init", "the rank was started by MPI_Comm_spawn");
    pmi::Outbox effects;
    world_.on_lines(only_rank, lines, effects);
    carry_out(effects);
}

void LoneProgram::carry_out(const pmi::Outbox& effects) {
    using pmi::answer::NameResult;
    pmi::Outbox next;
    const auto refuse_name = [&](const char* call) {
        say_that_it_fails(call, no_member);
        world_.on_name_answer(only_rank, NameResult::refused, {}, next);
    };
    for (const auto& effect : effects)
        std::visit(
            core::Overloaded{
                [&](const pmi::ToRank& one) {
                    if (!program_.socket->send(one.line)) kill();
                },
                [&](const pmi::BarrierReached& one) {
                    world_.on(pmi::BarrierReleased{one.round, one.keys}, next);
                },
                [](const pmi::LeftBarriers&) {},
                [](const pmi::GateReached&) {},
                [](const pmi::GateLost&) {},
                [&](const pmi::Publish&) { refuse_name("MPI_Publish_name"); },
                [&](const pmi::Unpublish&) { refuse_name("MPI_Unpublish_name"); },
                [&](const pmi::Lookup&) { refuse_name("MPI_Lookup_name"); },
                [&](const pmi::SpawnAsked&) {
                    say_that_it_fails("MPI_Comm_spawn", no_member);
                    world_.on_spawn_answer(only_rank, pmi::answer::SpawnResult::failed, next);
                },
                [&](const pmi::CallFailed& one) { say_that_it_fails(one.call, one.why); },
                [](const pmi::Finalized&) {},
                [&](const pmi::Aborted& one) {
                    events_.say("called MPI_Abort with the code " + std::to_string(one.code));
                    end();  // then it exits with this code
                },
                [&](const pmi::Misbehaved& one) {
                    events_.say("is killed: it breaks PMI-1: it " + one.why);
                    kill();
                },
            },
            effect);
    if (!next.empty()) carry_out(next);
}

void LoneProgram::say_that_it_fails(const std::string& call, const std::string& why) {
    events_.say("calls " + call + ", which fails: " + why +
                " (it has a process manager of its own by: env -u PMI_PORT PROGRAM)");
}

// The number of the process may be another one's by now. The connection is not.
void LoneProgram::kill() {
    if (process_ > 0 && os::holder_of(program_.inode, process_) == process_)
        ::kill(process_, SIGKILL);
    end();
}

void LoneProgram::end() {
    program_.socket->close();
    events_.ended(*this);
}

}  // namespace ductile::agent
