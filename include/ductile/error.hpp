/// \file
/// What Ductile throws. Every message says what was attempted, with which hosts and counts, and
/// what state the job is in now; that state is always one of JobState.
#pragma once

#include <stdexcept>
#include <string>

#if defined(_WIN32)
#define DUCTILE_PUBLIC
#else
#define DUCTILE_PUBLIC __attribute__((visibility("default")))
#endif

namespace ductile {

/// The state of the job after an error: an error leaves nothing in between.
enum class JobState {
    unchanged,  ///< the job runs on at the size it had
    ended,      ///< the job has ended, cleanly, on every host that could be reached
};

/// Base of all errors of Ductile.
class DUCTILE_PUBLIC Error : public std::runtime_error {
  public:
    explicit Error(const std::string& what, JobState state = JobState::unchanged)
        : std::runtime_error(what), state_(state) {}
    [[nodiscard]] JobState state() const noexcept { return state_; }

  private:
    JobState state_;
};

/// A value from a user, a file, the environment or another process is out of its bounds; the
/// message names the place.
class DUCTILE_PUBLIC InputError : public Error {
  public:
    using Error::Error;
};

/// A call that the program's state does not allow, such as comm() after `leave`, or a registration
/// that does not match.
class DUCTILE_PUBLIC UsageError : public Error {
  public:
    using Error::Error;
};

/// An MPI call failed. Keeps the name of the call, its error code and the code's class.
class DUCTILE_PUBLIC MpiError : public Error {
  public:
    MpiError(const std::string& what, std::string call, int code, int error_class)
        : Error(what), call_(std::move(call)), code_(code), class_(error_class) {}
    [[nodiscard]] const std::string& call() const noexcept { return call_; }
    [[nodiscard]] int code() const noexcept { return code_; }
    [[nodiscard]] int error_class() const noexcept { return class_; }

  private:
    std::string call_;
    int code_;
    int class_;
};

/// The operating system, a host or a program that Ductile started failed it.
class DUCTILE_PUBLIC SystemError : public Error {
  public:
    using Error::Error;
};

/// What the program is called for at a resize (Schema, schema.hpp) has thrown, on this rank. The
/// message has the text of it, or says that it is an exception of unknown type. Out of
/// Job::resize_point() it comes after the resize was agreed to: the job cannot go on.
class DUCTILE_PUBLIC ProgramFailed : public SystemError {
  public:
    using SystemError::SystemError;
};

/// A deadline passed.
class DUCTILE_PUBLIC TimeoutError : public SystemError {
  public:
    using SystemError::SystemError;
};

}  // namespace ductile
