/// \file
/// The exceptions of Ductile. Each message says what failed, and why. If a resize fails, `ductile
/// resize` and the event records also say which hosts were concerned, and what size the job has.
#pragma once

#include <stdexcept>
#include <string>

/// Marks the symbols that programs may use.
#if defined(_WIN32)
#define DUCTILE_PUBLIC
#else
#define DUCTILE_PUBLIC __attribute__((visibility("default")))
#endif

namespace ductile {

/// What the thrower of an error says about the job. Ductile itself always says `unchanged`, also in
/// ProgramFailed.
enum class JobState {
    unchanged,  ///< the job continues at the same size
    ended,      ///< the job has ended on every reachable host, and left nothing there
};

/// Base of all errors of Ductile.
class DUCTILE_PUBLIC Error : public std::runtime_error {
  public:
    /// An error with this message. `state`: the state of the job after the error.
    explicit Error(const std::string& what, JobState state = JobState::unchanged)
        : std::runtime_error(what), state_(state) {}
    /// The state of the job after the error.
    [[nodiscard]] JobState state() const noexcept { return state_; }

  private:
    JobState state_;
};

/// A value from the program, a user, a file, the environment or another process is out of its
/// bounds. The message says which value.
class DUCTILE_PUBLIC InputError : public Error {
  public:
    using Error::Error;
};

/// A call that is not allowed in the state of the program, such as comm() after `leave`; or a
/// registration that does not match.
class DUCTILE_PUBLIC UsageError : public Error {
  public:
    using Error::Error;
};

/// An MPI call failed. Holds the name of the call, its error code and the class of that code.
class DUCTILE_PUBLIC MpiError : public Error {
  public:
    /// The message, the name of the call, its error code and the code's class.
    MpiError(const std::string& what, std::string call, int code, int error_class)
        : Error(what), call_(std::move(call)), code_(code), class_(error_class) {}
    /// The name of the MPI call.
    [[nodiscard]] const std::string& call() const noexcept { return call_; }
    /// The error code that it returned.
    [[nodiscard]] int code() const noexcept { return code_; }
    /// The class of that code.
    [[nodiscard]] int error_class() const noexcept { return class_; }

  private:
    std::string call_;
    int code_;
    int class_;
};

/// A failure of the operating system, of a host, or of a program that Ductile started.
class DUCTILE_PUBLIC SystemError : public Error {
  public:
    using Error::Error;
};

/// A function of the program that Ductile calls at a resize (Schema, schema.hpp) threw on this
/// rank. The message contains the text of that exception, or says that its type is unknown. If
/// Job::resize_point() throws this error, the resize is committed, and the job cannot continue.
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
