#include "broker/journal.hpp"

#include <fcntl.h>
#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "broker/snapshot_json.hpp"
#include "ductile/error.hpp"
#include "os/fd.hpp"
#include "wire/json_line.hpp"

namespace ductile::broker {

namespace {

// `ductile` refuses a journal that an older or newer `ductile` has written in another format.
constexpr int format = 17;

constexpr const char* schema = R"(
    CREATE TABLE origin (format INTEGER NOT NULL, json TEXT NOT NULL);
    CREATE TABLE steps (n INTEGER PRIMARY KEY, time TEXT NOT NULL, step TEXT NOT NULL, snapshot TEXT NOT NULL);
    CREATE TABLE resizes (n INTEGER PRIMARY KEY, json TEXT NOT NULL);
)";

void make_private_file(const std::string& path) {
    const os::Fd file(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file || ::fchmod(file.get(), 0600) != 0)
        throw SystemError("the journal " + path + " cannot be made: " + std::strerror(errno));
}

}  // namespace

void Journal::Close::operator()(sqlite3* database) const {
    sqlite3_close_v2(database);
}

class Journal::Statement {
  public:
    Statement(sqlite3* database, const char* sql, const std::vector<std::string>& values) {
        ok_ = sqlite3_prepare_v2(database, sql, -1, &statement_, nullptr) == SQLITE_OK;
        int at = 0;
        for (const auto& value : values)
            ok_ = ok_ &&
                  sqlite3_bind_text(statement_, ++at, value.data(), static_cast<int>(value.size()),
                                    SQLITE_TRANSIENT) == SQLITE_OK;
    }
    Statement(const Statement&) = delete;
    Statement& operator=(const Statement&) = delete;
    ~Statement() { sqlite3_finalize(statement_); }

    /// True while there are rows.
    bool step() {
        if (!ok_) return false;
        const int result = sqlite3_step(statement_);
        ok_ = result == SQLITE_ROW || result == SQLITE_DONE;
        return result == SQLITE_ROW;
    }
    [[nodiscard]] bool ok() const { return ok_; }
    [[nodiscard]] std::string text() const {
        const auto* data = reinterpret_cast<const char*>(sqlite3_column_text(statement_, 0));
        return data == nullptr
                   ? std::string()
                   : std::string(data,
                                 static_cast<std::size_t>(sqlite3_column_bytes(statement_, 0)));
    }

  private:
    sqlite3_stmt* statement_ = nullptr;
    bool ok_ = false;
};

Journal::Journal(const std::string& path, bool fresh) : path_(path) {
    sqlite3* database = nullptr;
    const int flags = SQLITE_OPEN_READWRITE | (fresh ? SQLITE_OPEN_CREATE : 0);
    const int opened = sqlite3_open_v2(path.c_str(), &database, flags, nullptr);
    database_.reset(database);
    if (opened != SQLITE_OK) fail("opened");
    // After these statements this process holds the journal. With a write-ahead log each step is
    // one file write, without a wait for the disk. Closing does not wait for the disk either: the
    // log stays, and holds what the file lacks. A new file need not survive a crash of the machine
    // while it is being made.
    sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
    run("PRAGMA locking_mode = EXCLUSIVE");
    run(fresh ? "PRAGMA synchronous = OFF" : "PRAGMA synchronous = NORMAL");
    run("PRAGMA journal_mode = WAL; BEGIN IMMEDIATE; COMMIT");
}

Journal::Journal(Journal&&) noexcept = default;
Journal& Journal::operator=(Journal&&) noexcept = default;
Journal::~Journal() = default;

void Journal::fail(const std::string& what) const {
    if (database_ && sqlite3_errcode(database_.get()) == SQLITE_BUSY)
        throw SystemError("the journal " + path_ +
                          " is held by a broker that still runs; "
                          "if it was stopped (Ctrl-Z), continue it: fg, or kill -CONT");
    throw SystemError("the journal " + path_ + " cannot be " + what + ": " +
                      (database_ ? sqlite3_errmsg(database_.get()) : "out of memory"));
}

void Journal::run(const char* sql) {
    if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) != SQLITE_OK) fail("written");
}

void Journal::write(const char* sql, const std::vector<std::string>& values) {
    Statement statement(database_.get(), sql, values);
    while (statement.step()) {
    }
    if (!statement.ok()) fail("written");
}

std::vector<std::string> Journal::column(const char* sql, int limit) const {
    std::vector<std::string> rows;
    Statement statement(database_.get(), sql, {std::to_string(limit)});
    while (statement.step()) rows.push_back(statement.text());
    if (!statement.ok()) fail("read");
    return rows;
}

Journal Journal::create(const std::string& path, const nlohmann::json& origin) {
    make_private_file(path);  // SQLite gives its log the mode of the file
    Journal journal(path, true);
    journal.run(schema);
    journal.write("INSERT INTO origin VALUES (CAST(?1 AS INTEGER), ?2)",
                  {std::to_string(format), wire::to_line(origin)});
    journal.run("PRAGMA synchronous = NORMAL");
    journal.origin_ = origin;
    return journal;
}

Journal Journal::reopen(const std::string& path) {
    struct stat found {};
    if (::lstat(path.c_str(), &found) != 0) throw InputError("there is no journal " + path);
    if (!S_ISREG(found.st_mode) || found.st_uid != ::geteuid())
        throw InputError("refused to read the journal " + path +
                         ": it is not a regular file that belongs to you");
    try {
        Journal journal(path, false);
        const auto formats =
            journal.column("SELECT format FROM origin LIMIT CAST(?1 AS INTEGER)", 1);
        if (formats != std::vector{std::to_string(format)})
            throw InputError("the journal " + path + " is of format " +
                             (formats.empty() ? "unknown" : formats.front()) +
                             ", and this ductile reads format " + std::to_string(format) +
                             ": take the job over with the ductile that started it");
        const auto origin = journal.column("SELECT json FROM origin LIMIT CAST(?1 AS INTEGER)", 1);
        if (origin.empty()) throw InputError("the journal " + path + " has no origin");
        journal.origin_ = wire::from_line(origin.front());
        return journal;
    } catch (const SystemError& error) {
        throw InputError(error.what());
    }
}

std::optional<std::string> Journal::record(const std::string& step, const Snapshot& snapshot) {
    try {
        // Only the last step is needed. The others are for people who want to know what happened.
        write(
            "INSERT INTO steps (time, step, snapshot) VALUES (strftime('%Y-%m-%d %H:%M:%f', "
            "'now'), ?1, ?2)",
            {step, wire::to_line(to_json(snapshot))});
        return std::nullopt;
    } catch (const Error& error) {
        return error.what();
    }
}

void Journal::record_resize(const nlohmann::json& record) {
    try {
        write("INSERT INTO resizes (json) VALUES (?1)", {wire::to_line(record)});
        run("DELETE FROM resizes WHERE n <= (SELECT max(n) FROM resizes) - 1000; "
            "DELETE FROM steps WHERE n <= (SELECT max(n) FROM steps) - 1000");
    } catch (const Error&) {  // the next step reports it if writing fails again
    }
}

Snapshot Journal::snapshot() const {
    try {
        const auto last =
            column("SELECT snapshot FROM steps ORDER BY n DESC LIMIT CAST(?1 AS INTEGER)", 1);
        if (last.empty()) throw InputError("the journal " + path_ + " holds no step");
        return snapshot_from(wire::from_line(last.front()));
    } catch (const SystemError& error) {
        throw InputError(error.what());
    }
}

std::vector<nlohmann::json> Journal::resizes(int most) const {
    std::vector<nlohmann::json> resizes;
    for (const auto& text : column("SELECT json FROM (SELECT n, json FROM resizes ORDER BY n DESC "
                                   "LIMIT CAST(?1 AS INTEGER)) ORDER BY n",
                                   most))
        resizes.push_back(wire::from_line(text));
    return resizes;
}

std::string Journal::last_step() const {
    const auto last = column("SELECT step FROM steps ORDER BY n DESC LIMIT CAST(?1 AS INTEGER)", 1);
    return last.empty() ? "none" : last.front();
}

}  // namespace ductile::broker
