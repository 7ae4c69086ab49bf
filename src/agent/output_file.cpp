#include "agent/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "ductile/error.hpp"
#include "os/private_directory.hpp"

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

std::string output_folder(const std::string& wanted, const std::string& fallback) {
    constexpr mode_t others_write = 0022;
    const os::Fd folder(::open(wanted.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    struct stat found {};
    if (folder && ::fstat(folder.get(), &found) == 0 && found.st_uid == ::geteuid() &&
        (found.st_mode & others_write) == 0)
        return wanted;
    try {
        const auto parent =
            os::PrivateDirectory::make(std::filesystem::path(fallback).parent_path().string());
        return parent.make_child(std::filesystem::path(fallback).filename().string()).path();
    } catch (const SystemError&) {
        return {};
    }
}

// Does not open a FIFO or a link of this name. So nobody else gets the output, and no open blocks.
void OutputFile::open() {
    constexpr int most_names = 100;
    constexpr int how =
        O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    for (int number = 1; number <= most_names && !file_; ++number) {
        const auto name = number == 1 ? path_ : path_ + "." + std::to_string(number);
        file_ = os::Fd(::open(name.c_str(), how, 0600));
        if (!file_ && errno != EEXIST) return;
    }
}

void OutputFile::write(std::string_view data) {
    if (full_) return;
    if (!opened_) {
        opened_ = true;
        if (!path_.empty()) open();
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
