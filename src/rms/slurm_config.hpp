// The configuration of a Slurm, as `scontrol show config` prints it. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ductile::rms {

class SlurmConfig {
  public:
    /// `text`: lines "Key = value". Other lines are ignored.
    explicit SlurmConfig(std::string_view text);

    /// Empty if the key is not set.
    [[nodiscard]] std::string value(const std::string& key) const;
    /// Whether the value is a list with this word, such as "Alloc,Contain", in upper or lower case.
    /// `word` must be in lower case.
    [[nodiscard]] bool lists(const std::string& key, std::string_view word) const;
    /// Whether Slurm keeps records of jobs.
    [[nodiscard]] bool has_accounting() const;

  private:
    std::map<std::string, std::string> values_;
};

/// The parts between separators, without blanks around them.
std::vector<std::string> parts_of(std::string_view text, char separator);

/// Why Slurm cannot merge a job into another one (`--dependency=expand`); none if it can.
std::optional<std::string> why_no_merge(const SlurmConfig& config);

}  // namespace ductile::rms
