#include "cli/ask_broker.hpp"

#include <fmt/format.h>
#include <sys/socket.h>

#include <optional>
#include <utility>

#include "os/peer.hpp"
#include "os/proc.hpp"
#include "wire/local_socket.hpp"

namespace ductile::cli {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto between_looks = std::chrono::milliseconds(250);

/// Whether a process has been stopped for a second.
class StopWatch {
  public:
    explicit StopWatch(pid_t pid) : pid_(pid) {}

    /// Call this every `between_looks`.
    [[nodiscard]] bool has_stopped() {
        looks_stopped_ = os::is_stopped(pid_) ? looks_stopped_ + 1 : 0;
        return looks_stopped_ * between_looks >= std::chrono::seconds(1);
    }

  private:
    pid_t pid_;
    int looks_stopped_ = 0;
};

std::string how_to_continue(pid_t broker) {
    return fmt::format("to continue it: `fg` in its terminal, or kill -CONT {}", broker);
}

void ask(const JobSocket& job, const wire::Request& request, std::chrono::seconds first,
         const std::function<bool(const wire::Reply&)>& on_reply) {
    auto socket = wire::LocalSocket::connect(job.path, std::chrono::seconds(2));
    const auto broker = os::peer_of(socket.fd()).pid;
    StopWatch watch(broker);
    socket.send(wire::to_frame(request));
    const auto until = Clock::now() + first;
    bool has_replied = false, is_told = false, is_withdrawn = false;
    const auto receive = [&]() -> std::optional<wire::Message> {
        try {
            return socket.receive(between_looks);
        } catch (const SystemError&) {
            if (is_withdrawn && !has_replied) throw BrokerStopped(job.job, broker);
            throw;
        }
    };
    for (;;) {
        if (const auto json = receive()) {
            has_replied = true;
            const auto answer = wire::decode<wire::Answer>(*json);
            if (on_reply(std::get<wire::Reply>(answer))) return;
            continue;
        }
        if (!watch.has_stopped()) {
            is_told = false;
            if (!has_replied && Clock::now() >= until)
                throw TimeoutError("the broker of job " + job.job + " does not answer");
            continue;
        }
        // A request that was read may wait for its turn, without a reply. A broker that reads it
        // after the shutdown drops it (broker/request_server.cpp). It may be reading it just now.
        if (os::has_unread(socket.fd())) {
            is_withdrawn = ::shutdown(socket.fd(), SHUT_WR) == 0;
            if (os::has_unread(socket.fd())) throw BrokerStopped(job.job, broker);
        }
        if (!std::exchange(is_told, true))
            fmt::print(stderr, "ductile: the broker of job {} (process {}) is stopped; {}\n",
                       job.job, broker, how_to_continue(broker));
    }
}

}  // namespace

BrokerStopped::BrokerStopped(const std::string& job, pid_t broker)
    : SystemError(fmt::format("the broker of job {} (process {}) is stopped and does not answer; "
                              "nothing was asked of it; {}",
                              job, broker, how_to_continue(broker))),
      broker_(broker) {}

void ask_broker(const JobSocket& job, const wire::Request& request, std::chrono::seconds first,
                const std::function<bool(const wire::Reply&)>& on_reply) {
    try {
        ask(job, request, first, on_reply);
    } catch (const BrokerStopped&) {
        throw;
    } catch (const SystemError& error) {
        throw SystemError("the broker of job " + job.job + " is gone or does not answer (" +
                          error.what() +
                          "); without a broker, a program continues at its size; to take the job "
                          "over: ductile run --resume " +
                          job.job);
    }
}

int exit_code_for(wire::ReplyKind kind) {
    switch (kind) {
        case wire::ReplyKind::accepted:
        case wire::ReplyKind::done:
            return exit_code::ok;
        case wire::ReplyKind::refused:
            return exit_code::refused;
        case wire::ReplyKind::rolled_back:
            return exit_code::rolled_back;
        case wire::ReplyKind::failed:
            return exit_code::failed;
    }
    return exit_code::failed;
}

}  // namespace ductile::cli
