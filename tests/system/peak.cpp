// A malleable program with one array. After each resize each rank prints a line of JSON: how many
// bytes of memory it had and needed, as the kernel counts them.
// usage: peak MEBIBYTES
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ductile/ductile.hpp>
#include <fstream>
#include <string>

namespace {

/// A value of /proc/self/status.
long bytes_of(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == name + ":") {
            long kibibytes = 0;
            status >> kibibytes;
            return kibibytes * 1024;
        }
    return 0;
}

void reset_peak() {
    std::ofstream("/proc/self/clear_refs") << "5";
}

long bytes_here(const ductile::Distributed<double>& data) {
    return static_cast<long>(data.local().size_bytes());
}

/// A thread of the library frees old parts after a resize. Memory that is not freed yet would be
/// counted at the next resize.
void wait_for_old_part(long bytes_without) {
    constexpr long about = 16L << 20;
    for (int looks = 0; looks < 2000 && bytes_of("VmRSS") > bytes_without + about; ++looks)
        ::usleep(5000);
}

void tell(const char* who, int ranks, long before, long after, long other) {
    std::printf(
        "{\"who\":\"%s\",\"ranks\":%d,\"before\":%ld,\"after\":%ld,\"other\":%ld,\"peak\":%ld}\n",
        who, ranks, before, after, other, bytes_of("VmHWM"));
    std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
    ductile::Job job(argc, argv);
    auto data = job.distribute<double>("data", (std::atol(argv[1]) << 20) / 8);
    if (job.fresh())
        std::fill(data.local().begin(), data.local().end(), 1.0);
    else
        tell("new", job.size(), 0, bytes_here(data), bytes_of("VmRSS") - bytes_here(data));
    const char* until = std::getenv("STEADY_UNTIL");
    bool bad = false;
    while (until == nullptr || ::access(until, F_OK) != 0) {
        ::usleep(20000);
        for (const double value : data.local()) bad = bad || value != 1.0;
        const long before = bytes_here(data);
        const long other = bytes_of("VmRSS") - before;
        reset_peak();
        const auto answer = job.resize_point();
        if (answer == ductile::Resized::leave) {
            tell("left", 0, before, 0, other);
            return bad ? 1 : 0;
        }
        if (answer != ductile::Resized::resized) continue;
        tell("stayed", job.size(), before, bytes_here(data), other);
        wait_for_old_part(bytes_here(data) + other);
    }
    if (job.rank() == 0) std::printf("bad %d\n", bad ? 1 : 0);
    return bad ? 1 : 0;
}
