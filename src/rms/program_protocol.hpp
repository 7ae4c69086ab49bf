// The conversation with a program that gets a job its hosts, over that program's deaths. Pure.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rms/bounded_lines.hpp"
#include "rms/program_lines_json.hpp"

namespace ductile::rms {

/// Start it; started() follows when it runs, ended() when it cannot be started.
struct StartProgram {
    bool operator==(const StartProgram&) const = default;
};
struct SendLine {
    std::string text;  ///< without its newline
    bool operator==(const SendLine&) const = default;
};
struct AnswerJob {
    HostAnswer answer;
    bool operator==(const AnswerJob&) const = default;
};
struct NotifyUser {
    std::string text;
    bool operator==(const NotifyUser&) const = default;
};
using ProgramEffect = std::variant<StartProgram, SendLine, AnswerJob, NotifyUser>;
using ProgramEffects = std::vector<ProgramEffect>;

/// A program that ends is started again, and told what the job holds. The job asks it again for
/// what it waits for: only the job knows which of the hosts that were granted it has kept. After
/// three ends within a minute there are no further requests.
class ProgramProtocol {
  public:
    /// Of a clock that never goes back.
    using Time = std::chrono::milliseconds;

    /// `program`: its name, for messages.
    ProgramProtocol(std::string program, std::string job, const core::Allocation& held);

    ProgramEffects started();
    ProgramEffects request(RequestId id, const HostRequest& request);
    ProgramEffects cancel(RequestId id);
    ProgramEffects release(const std::string& host);
    ProgramEffects received(std::string_view bytes);
    /// `how`: "exit code 1".
    ProgramEffects ended(Time now, const std::string& how);

  private:
    void on_line(const BoundedLines::Line& line, ProgramEffects& effects);
    void on_answer(const Granted& granted);
    void on_answer(const Denied& denied);
    template <class Other>
    void on_answer(const Other&) {}
    void refuse(int line, const std::string& why, ProgramEffects& effects);
    void give_up(ProgramEffects& effects);

    std::string program_, job_;
    std::map<std::string, int> held_;              ///< slots by name, until they are released
    std::map<std::string, RequestId> granted_by_;  ///< the last answer that named a host
    std::set<RequestId> waiting_;
    std::set<RequestId> told_;       ///< those of waiting_ that the program that runs knows of
    std::set<RequestId> cancelled_;  ///< the program has yet to confirm it
    BoundedLines lines_{max_program_line};
    int refused_lines_ = 0;
    std::vector<Time> ends_;               ///< of the last minute
    std::optional<std::string> given_up_;  ///< why there are no further requests
};

}  // namespace ductile::rms
