// The protocol with a program that provides a job's hosts. It survives the death of the program.
// Pure.
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

/// Start the program. Then call started() when it runs, or ended() when it cannot be started.
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

/// If the program ends, it is started again, and gets the list of the job's hosts. The job then
/// repeats its open requests, because only the job knows which granted hosts it has kept. After
/// three ends within a minute, all further requests are denied.
class ProgramProtocol {
  public:
    /// The time of a clock that never goes back.
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
    std::map<std::string, int> held_;              ///< the slots of each host that the job has
    std::map<std::string, RequestId> granted_by_;  ///< for each host: the last request that got it
    std::set<RequestId> waiting_;
    std::set<RequestId> told_;       ///< requests sent to the running program, also answered ones
    std::set<RequestId> cancelled_;  ///< cancelled requests that the program has not answered yet
    BoundedLines lines_{max_program_line};
    int refused_lines_ = 0;
    std::vector<Time> ends_;               ///< when the program ended, in the last minute
    std::optional<std::string> given_up_;  ///< why there are no further requests
};

}  // namespace ductile::rms
