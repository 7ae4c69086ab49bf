#include "agent/rapl.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

namespace ductile::agent {

namespace fs = std::filesystem;

namespace {

template <class Value>
std::optional<Value> read(const fs::path& file) {
    std::ifstream in(file);
    Value value{};
    if (in >> value) return value;
    return std::nullopt;
}

bool counts(const fs::path& zone) {
    const auto name = read<std::string>(zone / "name");
    return name && (name->starts_with("package") || *name == "dram");
}

}  // namespace

// The kernel links all zones into one folder: intel-rapl:0 is a package, intel-rapl:0:1 a part of
// it. A part that no package contains (intel-rapl-mmio) counts the same energy once more.
Rapl::Rapl(const fs::path& folder) {
    std::error_code error;
    for (fs::directory_iterator zone(folder, error), end; !error && zone != end;
         zone.increment(error)) {
        const auto& path = zone->path();
        if (!path.filename().string().starts_with("intel-rapl:") || !counts(path)) continue;
        counters_.push_back(
            {path / "energy_uj", read<std::uint64_t>(path / "max_energy_range_uj").value_or(0)});
    }
    missing_ = "there are no RAPL counters in " + folder.string();
}

std::variant<double, Rapl::NoPower> Rapl::watts(Time now) {
    if (counters_.empty()) return NoPower{missing_};
    std::uint64_t used_uj = 0;
    for (auto& counter : counters_) {
        errno = 0;
        const auto value = read<std::uint64_t>(counter.file);
        if (!value) {
            has_last_ = false;
            return NoPower{counter.file.string() +
                           " cannot be read: " + (errno != 0 ? std::strerror(errno) : "no number")};
        }
        const bool has_wrapped = *value < counter.last_uj;
        if (has_wrapped && counter.range_uj == 0) has_last_ = false;
        used_uj += *value - counter.last_uj + (has_wrapped ? counter.range_uj : 0);
        counter.last_uj = *value;
    }
    const double seconds = std::chrono::duration<double>(now - last_).count();
    last_ = now;
    if (!std::exchange(has_last_, true) || seconds <= 0) return NoPower{"it is not measured yet"};
    // Some virtual machines have counters that do not count.
    if (used_uj == 0) return NoPower{"the RAPL counters stand still"};
    return static_cast<double>(used_uj) * 1e-6 / seconds;
}

}  // namespace ductile::agent
