// A job's journal: what its broker knows, written before each step, so that another broker can take
// the job over (`ductile run --resume`). One SQLite file in the job's directory.
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

/// Held by one broker at a time: the kernel gives it free when that one dies.
class Journal {
  public:
    /// A new one. `origin`: what the job was started with, kept as it is. Throws SystemError.
    static Journal create(const std::string& path, const nlohmann::json& origin);
    /// That of a broker that died. Throws InputError when there is none that can be read, and when
    /// a broker holds it.
    static Journal reopen(const std::string& path);
    Journal(Journal&&) noexcept;
    Journal& operator=(Journal&&) noexcept;
    Journal(const Journal&) = delete;
    Journal& operator=(const Journal&) = delete;
    ~Journal();

    /// Written by the kernel's care when this returns nothing: the broker's death does not lose it,
    /// that of its machine may. Otherwise returns why not (a full disk, say), with the path; the
    /// journal is then as it was before, and the next call tries again.
    [[nodiscard]] std::optional<std::string> record(const std::string& step,
                                                    const Snapshot& snapshot);
    /// A resize that is over, for `status`; lost if it cannot be written.
    void record_resize(const nlohmann::json& record);

    [[nodiscard]] const nlohmann::json& origin() const { return origin_; }
    /// The last one recorded. Throws InputError when there is none or it cannot be read.
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
