// What ductiled must not forget: the waiting jobs whose priority it has raised.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "os/fd.hpp"
#include "policy/views.hpp"
#include "rms/slurm_queue.hpp"

namespace ductile::site {

class SiteJournal {
  public:
    using Raised = std::map<policy::WaitingJobId, rms::NiceChange>;

    /// Opens `folder`/raised.jsonl, or creates it, and writes it anew without what is over, also
    /// later, when it has become long. Throws
    /// SystemError if another ductiled has it open, or if it cannot be read or written; and
    /// InputError that names the line if a line was not written by a SiteJournal. A last line
    /// without an end was being written when ductiled ended, and is left out: what it says had not
    /// been carried out.
    explicit SiteJournal(const std::string& folder);

    /// The jobs that were raised, and not put back, when the file was opened.
    [[nodiscard]] const Raised& raised_before() const { return raised_before_; }
    /// Is on disk when this returns. Without a change: the job need not be put back any more.
    /// Throws SystemError.
    void write(policy::WaitingJobId job, const std::optional<rms::NiceChange>& change);

  private:
    void write_anew();

    std::string folder_, path_;
    os::Fd lock_, file_;
    Raised raised_before_, raised_;
    int lines_ = 0;  ///< in the file
};

/// What the lines of a journal say. Throws InputError that names the line. Pure.
SiteJournal::Raised read_raised(const std::string& text, const std::string& path);

}  // namespace ductile::site
