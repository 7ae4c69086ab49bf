// Where the measured programs run (on virtual hosts, or on logical hosts of this machine), and the
// commands that start them there.
#pragma once

#include <string>
#include <vector>

#include "common/options.hpp"
#include "rms/command.hpp"

namespace ductile::bench {

/// `per_host` ranks on each of the first `hosts` hosts.
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
    /// mpiexec of a program that may grow to `most`. mpiexec runs on the first host, and can spawn
    /// on all hosts.
    [[nodiscard]] rms::Command other(const Shape& begin, const Shape& most,
                                     const std::vector<std::string>& program) const;
    /// mpiexec of a program on the hosts of `shape`. mpiexec runs where the command of ours() runs,
    /// and reaches each host by a remote shell.
    [[nodiscard]] rms::Command other_from_head(const Shape& shape,
                                               const std::vector<std::string>& program) const;
    /// The value of the info key `hosts` for a spawn on `hosts` hosts, beginning with host `first`
    /// (counted from 0). Example: "node02:2". Empty on logical hosts.
    [[nodiscard]] std::string spawn_on(int first, int hosts, int per_host) const;
    /// Whether `names`, one for each rank, are the hosts of `shape`, each `per_host` times. On
    /// logical hosts, only the number of names is checked.
    [[nodiscard]] bool lies_on(const std::vector<std::string>& names, const Shape& shape) const;

  private:
    /// The words `before`, and then mpiexec of a program on the hosts of `begin`.
    [[nodiscard]] rms::Command launcher(std::vector<std::string> before, const Shape& begin,
                                        const Shape& most,
                                        const std::vector<std::string>& program) const;

    bool cluster_;
};

/// The path of a program in the folder of this program or below it: beside("programs/idle_points").
std::string beside(const std::string& program);

/// For virtual hosts: makes a cluster of `hosts` hosts, starts this program again inside the
/// cluster, and does not return. Inside the cluster, and for logical hosts: returns the place.
/// Throws InputError when virtual hosts are wanted and this user cannot make them.
Place choose_place(const Options& options, int argc, char** argv, int hosts = 4);

}  // namespace ductile::bench
