#include "mpi/wait_asleep.hpp"

#include <algorithm>
#include <thread>

#include "core/contract.hpp"
#include "mpi/check.hpp"

namespace ductile::mpi {

namespace {

constexpr int looks_awake = 20;
constexpr std::chrono::microseconds between_looks{30};

}  // namespace

void wait_asleep(MPI_Request& request, const char* call) {
    wait_asleep_unless(request, call, [] { return false; });
}

bool wait_asleep_unless(MPI_Request& request, const char* call,
                        const std::function<bool()>& given_up, std::chrono::microseconds awake) {
    if (wait_collective_asleep_unless(request, call, given_up, awake)) return true;
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    return false;
}

bool wait_collective_asleep_unless(MPI_Request& request, const char* call,
                                   const std::function<bool()>& given_up,
                                   std::chrono::microseconds awake) {
    const auto until = std::chrono::steady_clock::now() + awake;
    for (int looks = 1;; ++looks) {
        int done = 0;
        check(MPI_Test(&request, &done, MPI_STATUS_IGNORE), call);
        if (done != 0) return true;
        if (given_up()) return false;
        if (looks >= looks_awake && std::chrono::steady_clock::now() > until)
            std::this_thread::sleep_for(between_looks);
    }
}

std::optional<int> wait_any_asleep_unless(std::vector<MPI_Request>& requests,
                                          const std::function<bool()>& given_up,
                                          std::chrono::microseconds awake) {
    const auto until = std::chrono::steady_clock::now() + awake;
    DUCTILE_EXPECT(std::ranges::any_of(
        requests, [](MPI_Request request) { return request != MPI_REQUEST_NULL; }));
    for (int looks = 1;; ++looks) {
        int which = MPI_UNDEFINED;
        int done = 0;
        check(MPI_Testany(static_cast<int>(requests.size()), requests.data(), &which, &done,
                          MPI_STATUS_IGNORE),
              "MPI_Testany");
        if (done != 0) return which;
        if (given_up()) return std::nullopt;
        if (looks < looks_awake) continue;
        if (std::chrono::steady_clock::now() < until)
            std::this_thread::yield();
        else
            std::this_thread::sleep_for(between_looks);
    }
}

}  // namespace ductile::mpi
