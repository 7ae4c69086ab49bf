#include "agent/output_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

namespace ductile::agent {

namespace {

void write_all(int fd, std::string_view data) {
    while (fd >= 0 && !data.empty()) {
        const ssize_t n = ::write(fd, data.data(), data.size());
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return;
        data.remove_prefix(static_cast<std::size_t>(n));
    }
}

}  // namespace

void OutputFile::write(std::string_view data) {
    if (full_) return;
    if (!opened_) {
        opened_ = true;
        file_ = wire::Fd(
            ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600));
    }
    if (written_ + data.size() > max_bytes_) {
        full_ = true;
        write_all(
            file_.get(),
            "ductile: the broker is gone and this file is full; output from here on was dropped\n");
        return;
    }
    written_ += data.size();
    write_all(file_.get(), data);
}

}  // namespace ductile::agent
