#include "engine/agent_link.hpp"
#include "os/descriptors.hpp"
#include "os/job_clock.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ductile::engine {

using namespace std::chrono_literals;

std::optional<AgentAddress> agent_address() {
    const char* socket = std::getenv("DUCTILE_SOCKET");
    if (socket == nullptr) return std::nullopt;
    const char* group = std::getenv("DUCTILE_GROUP");
    int id = -1;
    const char* end = group == nullptr ? nullptr : group + std::strlen(group);
    if (group == nullptr || std::from_chars(group, end, id).ptr != end || id < 0)
        throw InputError("DUCTILE_GROUP in the environment is not the number of a group");
    return AgentAddress{socket, core::GroupId{id}};
}

AgentLink::AgentLink(const AgentAddress& address, core::Rank rank_in_group)
    : socket_(wire::LocalSocket::connect(address.socket, 5s)) {
    socket_.send(
        wire::to_frame(wire::FromRank{wire::RankHello{address.group, rank_in_group, ::getpid()}}));
    const auto answer = socket_.receive(10s);
    if (!answer)
        throw TimeoutError("the agent at " + address.socket + " did not answer this rank's hello");
    const auto message = wire::decode<wire::ToRank>(*answer);
    if (!std::holds_alternative<wire::RankWelcome>(message))
        throw SystemError("the agent at " + address.socket +
                          " answered this rank's hello with something else");
    welcome_ = std::get<wire::RankWelcome>(message);
    wake_ = os::make_pipe("a rank's thread");
    for (const auto* end : {&wake_.read, &wake_.write}) os::never_block(*end);
}

AgentLink::~AgentLink() {
    close(false);
}

void AgentLink::start(std::function<void(const wire::ToRank&)> on_message,
                      std::function<void()> on_tick) {
    on_message_ = std::move(on_message);
    on_tick_ = std::move(on_tick);
    // The helper thread blocks all signals: the program's handlers run in the program's threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    thread_ = std::thread([this] { read_until_closed(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void AgentLink::set_ticking(bool on) {
    if (ticking_.exchange(on) != on) wake();
}

void AgentLink::wait_for_input(std::chrono::milliseconds most) {
    std::unique_lock lock(input_);
    input_changed_.wait_for(lock, most, [this] { return has_input_; });
    has_input_ = false;
}

void AgentLink::send(const wire::FromRank& message) {
    const std::lock_guard lock(sending_);
    if (!socket_) return;
    try {
        socket_.send(wire::to_frame(message));
    } catch (const SystemError&) {  // the reading thread notices it, too, and ends the process
    }
}

void AgentLink::close(bool goodbye) {
    if (goodbye) send(wire::Goodbye{});
    closing_ = true;
    wake();
    if (thread_.joinable()) thread_.join();
    const std::lock_guard lock(sending_);
    socket_.close();
}

void AgentLink::wake() {
    const char byte = 0;
    [[maybe_unused]] const auto n = ::write(wake_.write.get(), &byte, 1);
}

void AgentLink::read_until_closed() {
    std::vector<wire::Fd> descriptors;  // descriptors may arrive before their message
    // Read first what came together with the welcome: poll() does not report it any more.
    for (bool readable = true;;) {
        try {
            while (readable) {
                const auto json = socket_.receive(0ms, &descriptors);
                if (!json) break;
                const auto message = wire::decode<wire::ToRank>(*json);
                if (!std::holds_alternative<wire::TakeInput>(message)) {
                    on_message_(message);
                } else if (!descriptors.empty()) {
                    ::dup2(descriptors.front().get(), STDIN_FILENO);
                    descriptors.clear();
                    const std::lock_guard lock(input_);
                    has_input_ = true;
                    input_changed_.notify_all();
                }
            }
        } catch (const std::exception& error) {
            if (!closing_)
                std::fprintf(stderr, "ductile: this rank has lost its agent (%s) and ends\n",
                             error.what());
            break;
        }
        pollfd fds[2] = {{socket_.fd(), POLLIN, 0}, {wake_.read.get(), POLLIN, 0}};
        os::AwakeClock::now();  // for the other threads here that have a deadline
        const int n = ::poll(fds, 2, ticking_ ? 500 : -1);
        if (closing_) return;
        if (n < 0 && errno != EINTR) break;
        if ((fds[1].revents & POLLIN) != 0) {
            char drained[64];
            while (::read(wake_.read.get(), drained, sizeof(drained)) > 0) continue;
        }
        if (n == 0) on_tick_();
        readable = (fds[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0;
    }
    // A rank without its agent is no part of a job any more. The broker notices the loss of the
    // agent, and ends the job or rolls the resize back.
    if (!closing_) ::kill(::getpid(), SIGKILL);
}

}  // namespace ductile::engine
