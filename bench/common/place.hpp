// Where the measured programs run, and the command lines by which they get there: virtual hosts, or
// logical hosts of this machine.
#pragma once

#include <string>
#include <vector>

#include "common/options.hpp"
#include "rms/command.hpp"

namespace ductile::bench {

/// So many ranks on each of so many hosts, the first ones.
struct Shape {
    int hosts = 1;
    int per_host = 1;
    [[nodiscard]] int ranks() const { return hosts * per_host; }
};

class Place {
  public:
    explicit Place(bool cluster) : cluster_(cluster) {}

    [[nodiscard]] bool cluster() const { return cluster_; }
    /// "virtual hosts", "logical hosts"
    [[nodiscard]] std::string description() const;
    /// The name of a host, from 0, as `ductile run` knows it.
    [[nodiscard]] std::string host_name(int host) const;
    /// `ductile run` of `program` on the hosts of `begin`, free to grow to `most`, with further
    /// options.
    [[nodiscard]] rms::Command ours(const Shape& begin, const Shape& most,
                                    const std::string& events,
                                    const std::vector<std::string>& options,
                                    const std::vector<std::string>& program) const;
    /// Any other command of ductile.
    [[nodiscard]] rms::Command ductile(const std::vector<std::string>& words) const;
    /// mpiexec of a program that may grow to `most`, from the first host, able to spawn on all.
    [[nodiscard]] rms::Command other(const Shape& begin, const Shape& most,
                                     const std::vector<std::string>& program) const;
    /// mpiexec of a program on the hosts of `shape`, from where `ours` runs: by a remote shell to
    /// each of them.
    [[nodiscard]] rms::Command other_from_head(const Shape& shape,
                                               const std::vector<std::string>& program) const;
    /// Value of the info key `hosts` for a spawn on hosts `first` (from 0) and so on: "node02:2".
    /// Empty on logical hosts.
    [[nodiscard]] std::string spawn_on(int first, int hosts, int per_host) const;
    /// Whether these are the names of the hosts, each `per_host` times. Always so on logical hosts.
    [[nodiscard]] bool lies_on(const std::vector<std::string>& names, const Shape& shape) const;

  private:
    /// After `before`: mpiexec of a program on the hosts of `begin`.
    [[nodiscard]] rms::Command launcher(std::vector<std::string> before, const Shape& begin,
                                        const Shape& most,
                                        const std::vector<std::string>& program) const;

    bool cluster_;
};

/// Path of a program of the build tree, seen from this one's folder: beside("loop").
std::string beside(const std::string& program);

/// On virtual hosts, starts this program again on the head of a cluster of so many, and does not
/// return; inside it, or on logical hosts, returns the place. Throws InputError when virtual hosts
/// are wanted and this user cannot make them.
Place choose_place(const Options& options, int argc, char** argv, int hosts = 4);

}  // namespace ductile::bench
