#include "cluster/client.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstring>

#include "cluster/state_dir.hpp"
#include "ductile/error.hpp"
#include "os/peer.hpp"

namespace ductile::cluster {

Descriptor connect_to(const std::string& state_dir) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = socket_path(state_dir);
    if (path.size() >= sizeof address.sun_path)
        throw SystemError(fmt::format("cannot connect to {} (its path is too long)", path));
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
    Descriptor connection{check(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), "make a socket")};
    if (::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
        0)
        throw SystemError(
            fmt::format("no cluster is up in {}; start one by `ductile cluster up N`", state_dir));
    os::expect_own_user(connection.get(), path);
    return connection;
}

std::optional<Answer> next_answer(int connection, FrameReader& reader, int limit_ms) {
    const Deadline deadline{std::chrono::milliseconds{limit_ms < 0 ? 0 : limit_ms}};
    bool more = true;
    while (true) {
        if (const auto payload = reader.next(); payload && !payload->empty())
            return Answer{static_cast<Reply>(payload->front()), payload->substr(1)};
        if (!more || !wait_readable(connection, limit_ms < 0 ? -1 : deadline.left_ms()))
            return std::nullopt;
        more = reader.read(connection);
    }
}

std::string ask(const std::string& state_dir, const Words& request) {
    const Descriptor connection = connect_to(state_dir);
    send_frame(connection.get(), join(request));
    FrameReader reader;
    const auto answer = next_answer(connection.get(), reader, 30'000);
    if (!answer)
        throw TimeoutError(
            fmt::format("cannot {} (the cluster gave no answer in 30 s, or ended)", request[0]));
    if (answer->kind == Reply::error) throw UsageError(answer->text);
    return answer->text;
}

}  // namespace ductile::cluster
