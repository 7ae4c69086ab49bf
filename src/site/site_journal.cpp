#include "site/site_journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <variant>

#include "core/overloaded.hpp"
#include "ductile/error.hpp"
#include "wire/fields.hpp"
#include "wire/parse_json.hpp"

namespace ductile::site {

namespace {

constexpr std::int64_t most_nice = std::int64_t{1} << 31;

struct RaisedLine {
    static constexpr std::string_view name = "raised";
    std::int64_t job = 0, before = 0, nice = 0;
    template <class V>
    void visit(V& v) {
        v.number("job", job, 1, UINT32_MAX);
        v.number("before", before, -most_nice, most_nice);
        v.number("nice", nice, -most_nice, most_nice);
    }
};
struct BackLine {
    static constexpr std::string_view name = "back";
    std::int64_t job = 0;
    template <class V>
    void visit(V& v) {
        v.number("job", job, 1, UINT32_MAX);
    }
};
using Line = std::variant<RaisedLine, BackLine>;

policy::WaitingJobId id_of(std::int64_t number) {
    return policy::WaitingJobId{static_cast<std::uint64_t>(number)};
}

std::string line_for(policy::WaitingJobId job, const std::optional<rms::NiceChange>& change) {
    const auto number = static_cast<std::int64_t>(job.value);
    const Line line =
        change ? Line(RaisedLine{number, change->before, change->raised}) : Line(BackLine{number});
    return wire::encode_json(line).dump() + "\n";
}

[[noreturn]] void fail(const std::string& what, const std::string& path) {
    throw SystemError("cannot " + what + " " + path + ": " + std::strerror(errno));
}

std::string read_all(int file, const std::string& path) {
    std::string text;
    std::array<char, 4096> piece{};
    while (true) {
        const auto size = ::read(file, piece.data(), piece.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) fail("read", path);
        if (size == 0) return text;
        text.append(piece.data(), static_cast<std::size_t>(size));
    }
}

void write_all(int file, std::string_view text, const std::string& path) {
    while (!text.empty()) {
        const auto size = ::write(file, text.data(), text.size());
        if (size < 0 && errno == EINTR) continue;
        if (size < 0) fail("write", path);
        text.remove_prefix(static_cast<std::size_t>(size));
    }
    if (::fdatasync(file) != 0) fail("write", path);
}

}  // namespace

SiteJournal::Raised read_raised(const std::string& text, const std::string& path) {
    SiteJournal::Raised raised;
    int number = 0;
    for (std::size_t begin = 0, end = 0; (end = text.find('\n', begin)) != std::string::npos;
         begin = end + 1) {
        const auto place = fmt::format("{}:{}", path, ++number);
        try {
            const auto line = std::string_view(text).substr(begin, end - begin);
            std::visit(core::Overloaded{
                           [&raised](const RaisedLine& one) {
                               raised[id_of(one.job)] = {one.before, one.nice};
                           },
                           [&raised](const BackLine& one) { raised.erase(id_of(one.job)); },
                       },
                       wire::decode_json<Line>(wire::parse_json(line, "the line")));
        } catch (const InputError& error) {
            throw InputError(place + ": " + error.what());
        }
    }
    return raised;
}

SiteJournal::SiteJournal(const std::string& folder)
    : folder_(folder), path_(folder + "/raised.jsonl") {
    // A new file takes the place of the old one from time to time, so the lock is on another file.
    const auto lock_path = folder + "/lock";
    lock_ = os::Fd(::open(lock_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!lock_) fail("open", lock_path);
    if (::flock(lock_.get(), LOCK_EX | LOCK_NB) != 0)
        throw SystemError("another ductiled uses " + folder);
    const os::Fd old(::open(path_.c_str(), O_RDONLY | O_CREAT | O_CLOEXEC, 0600));
    if (!old) fail("open", path_);
    raised_before_ = raised_ = read_raised(read_all(old.get(), path_), path_);
    write_anew();
}

void SiteJournal::write_anew() {
    const auto new_path = path_ + ".new";
    file_ =
        os::Fd(::open(new_path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600));
    if (!file_) fail("open", new_path);
    std::string text;
    for (const auto& [job, change] : raised_) text += line_for(job, change);
    write_all(file_.get(), text, new_path);
    if (::rename(new_path.c_str(), path_.c_str()) != 0) fail("replace", path_);
    const os::Fd folder(::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!folder || ::fsync(folder.get()) != 0) fail("write", folder_);
    lines_ = static_cast<int>(raised_.size());
}

void SiteJournal::write(policy::WaitingJobId job, const std::optional<rms::NiceChange>& change) {
    constexpr int most_lines = 10'000;
    if (change)
        raised_[job] = *change;
    else
        raised_.erase(job);
    if (lines_ >= most_lines) return write_anew();
    write_all(file_.get(), line_for(job, change), path_);
    ++lines_;
}

}  // namespace ductile::site
