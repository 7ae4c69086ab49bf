// The journal of a job. The broker writes what it knows before each step that it takes, and after
// each event that changes the job, so that another broker can take the job over (`ductile run
// --resume`). One SQLite file in the job's directory.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "broker/snapshot.hpp"

struct sqlite3;

namespace ductile::broker {

/// One broker at a time holds the journal. If this broker dies, the kernel releases the journal.
class Journal {
  public:
    /// Makes a new journal. `origin`: what the job was started with, stored unchanged. Throws
    /// SystemError if the file cannot be made.
    static Journal create(const std::string& path, const nlohmann::json& origin);
    /// Opens the journal of a broker that died. Throws InputError if it cannot be read, or if a
    /// broker holds it.
    static Journal reopen(const std::string& path);
    Journal(Journal&&) noexcept;
    Journal& operator=(Journal&&) noexcept;
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;
    ~Journal();

    /// Writes a step. Returns nothing if the kernel has the step: it survives the death of the
    /// broker, but perhaps not of the machine. Otherwise returns the reason (a full disk, for
    /// example) with the path. The journal is then unchanged, and the next call tries again.
    [[nodiscard]] std::optional<std::string> record(const std::string& step,
                                                    const Snapshot& snapshot);
    /// Writes a resize that is over, for `status`. If this fails, the record is lost.
    void record_resize(const nlohmann::json& record);

    [[nodiscard]] const nlohmann::json& origin() const { return origin_; }
    /// The last recorded snapshot. Throws InputError if there is none, or if it cannot be read.
    [[nodiscard]] Snapshot snapshot() const;
    /// The last `most` resizes, oldest first.
    [[nodiscard]] std::vector<nlohmann::json> resizes(int most) const;
    /// The last step that was recorded, for messages.
    [[nodiscard]] std::string last_step() const;

  private:
    class Statement;
    explicit Journal(const std::string& path, bool fresh);
    void run(const char* sql);
    void write(const char* sql, const std::vector<std::string>& values);
    [[nodiscard]] std::vector<std::string> column(const char* sql, int limit) const;
    [[noreturn]] void fail(const std::string& what) const;

    struct Close {
        void operator()(sqlite3* database) const;
    };
    std::string path_;
    std::unique_ptr<sqlite3, Close> database_;
    nlohmann::json origin_;
};

}  // namespace ductile::broker
