#include "engine/bridge.hpp"

#include <array>
#include <chrono>
#include <cstring>

#include "ductile/error.hpp"
#include "mpi/bounded_sends.hpp"
#include "mpi/wait_asleep.hpp"
#include "os/job_clock.hpp"

namespace ductile::engine {

namespace {

constexpr int hello_tag = 0x0d01;
constexpr int answer_tag = 0x0d02;
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

// Receives `bytes` bytes from rank 0 of the other side, and sleeps between tests. False if it was
// given up.
bool receive_unless(const mpi::Comm& connection, void* to, int bytes, int tag,
                    const std::function<bool()>& given_up) {
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Irecv(to, bytes, MPI_BYTE, 0, tag, connection.get(), &request), "MPI_Irecv");
    return mpi::wait_asleep_unless(request, "MPI_Irecv", given_up);
}

void send_bytes(const mpi::Comm& connection, const void* from, int bytes, int tag) {
    mpi::check(MPI_Send(from, bytes, MPI_BYTE, 0, tag, connection.get()), "MPI_Send");
}

}  // namespace

std::function<bool()> after(std::chrono::seconds time) {
    return [until = os::AwakeClock::now() + time] { return os::AwakeClock::now() > until; };
}

BridgeAnswer receive_hello(const mpi::Comm& connection, const BridgeHello& expected,
                           const std::function<bool()>& given_up) {
    // The buffer must outlive a receive that is given up.
    auto hello = std::make_unique<HelloBytes>();
    if (!receive_unless(connection, hello.get(), sizeof(HelloBytes), hello_tag, given_up)) {
        [[maybe_unused]] const auto* kept = hello.release();
        return BridgeAnswer::unauthenticated;
    }
    const auto abandoned = to_bytes(HelloKind::abandoned, expected);
    if (std::memcmp(hello.get(), &abandoned, sizeof(abandoned)) == 0)
        return BridgeAnswer::abandoned;
    const auto newcomer = to_bytes(HelloKind::newcomer, expected);
    // An unauthenticated connector gets no answer: it may have ended, and a send to it would hold
    // MPI's lock.
    if (std::memcmp(hello.get(), &newcomer, sizeof(newcomer)) != 0)
        return BridgeAnswer::unauthenticated;
    const int known = 1;
    const mpi::BoundedSends bounded;  // the newcomer may have died meanwhile
    send_bytes(connection, &known, sizeof(known), answer_tag);
    return BridgeAnswer::welcome;
}

void send_hello(const mpi::Comm& connection, const BridgeHello& hello,
                const std::function<bool()>& given_up) {
    const auto bytes = to_bytes(HelloKind::newcomer, hello);
    send_bytes(connection, &bytes, sizeof(bytes), hello_tag);
    auto known = std::make_unique<int>(0);
    if (receive_unless(connection, known.get(), sizeof(int), answer_tag, given_up)) return;
    [[maybe_unused]] const auto* kept = known.release();
    throw TimeoutError("the program's leader did not answer the hello of transaction " +
                       std::to_string(hello.transaction.value));
}

void send_abandoned(const mpi::Comm& connection, const BridgeHello& hello) {
    const auto bytes = to_bytes(HelloKind::abandoned, hello);
    send_bytes(connection, &bytes, sizeof(bytes), hello_tag);
}

}  // namespace ductile::engine
