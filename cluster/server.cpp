#include "cluster/server.hpp"

#include <fmt/format.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <functional>
#include <map>

#include "cluster/namespaces.hpp"
#include "cluster/session.hpp"
#include "cluster/state_dir.hpp"
#include "ductile/error.hpp"
#include "os/peer.hpp"

namespace ductile::cluster {
namespace {

using namespace std::chrono_literals;

constexpr auto request_limit = 10s;
constexpr std::size_t max_clients = 256;

bool is_hung_up(int socket) {
    char byte = 0;
    const ssize_t got = ::recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got >= 0 ||
           (errno != EAGAIN && errno != EINTR);  // a client that waits for an exec sends nothing
}

/// Sends the reason to the caller, if it still listens.
void refuse(int socket, const std::exception& why) noexcept {
    try {
        send_reply(socket, Reply::error, why.what());
    } catch (const std::exception&) {
        return;
    }
}

}  // namespace

Descriptor listen_in(const std::string& state_dir) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string path = socket_path(state_dir);
    std::memcpy(address.sun_path, path.c_str(),
                path.size() + 1);  // make_state_dir checked the length
    Descriptor listener{
        check(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "make a socket")};
    ::unlink(path.c_str());  // left by a killed cluster
    check(::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address),
          "bind the cluster's socket");
    check(::chmod(path.c_str(), 0600), "protect the cluster's socket");
    check(::listen(listener.get(), 128), "listen on the cluster's socket");
    return listener;
}

Server::Server(Cluster& cluster, Descriptor listener, Descriptor owner)
    : cluster_(cluster), listener_(std::move(listener)), owner_(std::move(owner)) {
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    children_ = Descriptor{
        check(::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK), "watch the cluster's processes")};
}

void Server::run() {
    while (!ending_) poll_once();
    listener_ = Descriptor{};  // tells an `up` of the same name that this cluster ends
}

void Server::poll_once() {
    std::vector<pollfd> watched{
        {listener_.get(), POLLIN, 0}, {owner_.get(), POLLIN, 0}, {children_.get(), POLLIN, 0}};
    for (const auto& client : clients_) watched.push_back({client.socket.get(), POLLIN, 0});
    for (const auto& exec : waiting_) watched.push_back({exec.caller.get(), POLLIN, 0});
    if (::poll(watched.data(), watched.size(), clients_.empty() ? -1 : 1000) < 0) return;
    if (watched[1].revents != 0) ending_ = true;
    if (watched[2].revents != 0) collect_children();

    auto place = watched.begin() + 3;
    const auto now = std::chrono::steady_clock::now();
    for (auto client = clients_.begin(); client != clients_.end(); ++place) {
        const bool done =
            (place->revents != 0 && serve(*client)) || now - client->since > request_limit;
        client = done ? clients_.erase(client) : std::next(client);
    }
    std::erase_if(waiting_, [](const WaitingExec& exec) { return is_hung_up(exec.caller.get()); });
    if (watched[0].revents != 0) accept_client();
}

void Server::accept_client() {
    Descriptor socket{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!socket || clients_.size() >= max_clients || os::peer_of(socket.get()).uid != ::geteuid())
        return;
    clients_.push_back({std::move(socket), {}, std::chrono::steady_clock::now()});
}

void Server::collect_children() {
    signalfd_siginfo news;
    while (::read(children_.get(), &news, sizeof news) > 0) continue;
    for (pid_t pid = 0; (pid = ::waitpid(-1, nullptr, WNOHANG)) > 0;) cluster_.child_ended(pid);
    try_waiting();  // if a host has ended, this answers callers that wait for it
}

bool Server::serve(Client& client) {
    try {
        const bool more = client.reader.read(client.socket.get());
        auto payload = client.reader.next();
        if (!payload) return !more;
        answer(client, split(*payload));
    } catch (const std::exception& error) {
        refuse(client.socket.get(), error);
    }
    return true;
}

void Server::answer(Client& client, Words words) {
    if (words[0] == "exec") {
        auto files = client.reader.take_files();
        if (words.size() < 3 || files.size() != max_frame_files)
            throw InputError("a request to run a command is malformed");
        const int from = cluster_.host_of(os::peer_of(client.socket.get()).pid);
        waiting_.push_back({std::move(client.socket), from, std::move(files), std::move(words)});
        try_waiting();
        return;
    }
    if (words[0] == "down") {
        ending_ = true;
        down_clients_.push_back(std::move(client.socket));
        return;
    }
    send_reply(client.socket.get(), Reply::data, obey(words));
    try_waiting();
}

std::string Server::obey(const Words& words) {
    if (words[0] == "status") return cluster_.status();
    if (words.size() < 2) throw InputError("a request to a cluster is too short");
    Host& host = cluster_.find(words[1]);
    const std::string option = words.size() > 2 ? words[2] : "";
    if (words[0] == "ps") return cluster_.processes(host, option);
    const std::map<std::string, std::function<void()>> verbs{
        {"kill", [&] { cluster_.kill(host); }},
        {"start", [&] { cluster_.start(host); }},
        {"freeze", [&] { cluster_.freeze(host, option); }},
        {"thaw", [&] { cluster_.thaw(host); }},
        {"cut", [&] { cluster_.cut(host); }},
        {"mend", [&] { cluster_.mend(host); }},
    };
    const auto verb = verbs.find(words[0]);
    if (verb == verbs.end())
        throw InputError(
            fmt::format("a cluster does not know the request \"{}\"", words[0].substr(0, 40)));
    verb->second();
    return {};
}

bool Server::try_exec(WaitingExec& exec) {
    const Host& host = cluster_.find(exec.words[1]);
    if (!host.is_up())
        throw SystemError(fmt::format(
            "cannot reach {0} (it was killed); `ductile cluster start {0}` brings it back",
            exec.words[1]));
    const bool by_network = exec.words[2] == "network";
    if (host.frozen || (by_network && !cluster_.are_connected(exec.from, host.number)))
        return false;
    auto request = to_session_request(std::span(exec.words).subspan(3));
    cluster_.run_on(host, [&] {
        forget_inherited(
            {exec.caller.get(), exec.files[0].get(), exec.files[1].get(), exec.files[2].get()});
        try {
            return run_session(exec.words[1], std::move(exec.caller), std::move(exec.files),
                               std::move(request));
        } catch (const std::exception&) {
            return 255;  // the caller notices that its socket closes
        }
    });
    return true;
}

void Server::try_waiting() {
    std::erase_if(waiting_, [this](WaitingExec& exec) {
        try {
            return try_exec(exec);
        } catch (const std::exception& error) {
            refuse(exec.caller.get(), error);
            return true;
        }
    });
}

}  // namespace ductile::cluster
