#include "engine/bridge.hpp"

#include <array>
#include <chrono>
#include <cstring>

#include "ductile/error.hpp"
#include "mpi/bounded_sends.hpp"
#include "mpi/wait_asleep.hpp"

namespace ductile::engine {

namespace {

using namespace std::chrono_literals;

constexpr int hello_tag = 0x0d01;
constexpr int answer_tag = 0x0d02;
constexpr auto patience = 2s;

enum class HelloKind : int { newcomer = 1, abandoned = 2 };

struct HelloBytes {
    int kind = 0;
    int transaction = 0;
    std::array<char, 128> secret{};
};

HelloBytes to_bytes(HelloKind kind, const BridgeHello& hello) {
    HelloBytes bytes{static_cast<int>(kind), hello.transaction.value, {}};
    hello.secret.copy(bytes.secret.data(), bytes.secret.size() - 1);
    return bytes;
}

// Receives `bytes` bytes from the one peer, asleep between looks; false when nothing came in time.
bool receive_within(const mpi::Comm& connection, void* to, int bytes, int tag) {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Irecv(to, bytes, MPI_BYTE, 0, tag, connection.get(), &request), "MPI_Irecv");
    const auto until = std::chrono::steady_clock::now() + patience;
    return mpi::wait_asleep_unless(request, "MPI_Irecv",
                                   [&] { return std::chrono::steady_clock::now() > until; });
}

void send_bytes(const mpi::Comm& connection, const void* from, int bytes, int tag) {
    mpi::check(MPI_Send(from, bytes, MPI_BYTE, 0, tag, connection.get()), "MPI_Send");
}

}  // namespace

BridgeAnswer receive_hello(const mpi::Comm& connection, const BridgeHello& expected) {
    // The buffer outlives a receive that is given up.
    auto hello = std::make_unique<HelloBytes>();
    if (!receive_within(connection, hello.get(), sizeof(HelloBytes), hello_tag)) {
        [[maybe_unused]] const auto* kept = hello.release();
        return BridgeAnswer::stranger;
    }
    const auto abandoned = to_bytes(HelloKind::abandoned, expected);
    if (std::memcmp(hello.get(), &abandoned, sizeof(abandoned)) == 0)
        return BridgeAnswer::abandoned;
    const auto newcomer = to_bytes(HelloKind::newcomer, expected);
    // A stranger gets no answer: it may have ended, and a send to it would keep MPI's lock.
    if (std::memcmp(hello.get(), &newcomer, sizeof(newcomer)) != 0) return BridgeAnswer::stranger;
    const int known = 1;
    const mpi::BoundedSends bounded;  // it may have died meanwhile
    send_bytes(connection, &known, sizeof(known), answer_tag);
    return BridgeAnswer::welcome;
}

void send_hello(const mpi::Comm& connection, const BridgeHello& hello) {
    const auto bytes = to_bytes(HelloKind::newcomer, hello);
    send_bytes(connection, &bytes, sizeof(bytes), hello_tag);
    auto known = std::make_unique<int>(0);
    if (receive_within(connection, known.get(), sizeof(int), answer_tag)) return;
    [[maybe_unused]] const auto* kept = known.release();
    throw TimeoutError("the program's leader did not answer the hello of transaction " +
                       std::to_string(hello.transaction.value));
}

void send_abandoned(const mpi::Comm& connection, const BridgeHello& hello) {
    const auto bytes = to_bytes(HelloKind::abandoned, hello);
    send_bytes(connection, &bytes, sizeof(bytes), hello_tag);
}

}  // namespace ductile::engine
