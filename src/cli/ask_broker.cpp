#include "cli/ask_broker.hpp"

#include "ductile/error.hpp"
#include "wire/local_socket.hpp"

namespace ductile::cli {

namespace {

void ask(const JobSocket& job, const wire::Request& request, std::chrono::seconds first,
         const std::function<bool(const wire::Reply&)>& on_reply) {
    auto socket = wire::LocalSocket::connect(job.path, std::chrono::seconds(2));
    socket.send(wire::to_frame(request));
    bool replied = false;
    for (;;) {
        const auto json =
            socket.receive(replied ? std::chrono::hours(1) : std::chrono::milliseconds(first));
        if (!json && !replied)
            throw TimeoutError("the broker of job " + job.job + " does not answer");
        if (!json) continue;
        replied = true;
        const auto answer = wire::decode<wire::Answer>(*json);
        if (on_reply(std::get<wire::Reply>(answer))) return;
    }
}

}  // namespace

void ask_broker(const JobSocket& job, const wire::Request& request, std::chrono::seconds first,
                const std::function<bool(const wire::Reply&)>& on_reply) {
    try {
        ask(job, request, first, on_reply);
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
