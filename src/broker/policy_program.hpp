// Decisions from a program of the user (docs/policies.md).
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>
#include "os/job_timer.hpp"

#include "broker/decision_source.hpp"
#include "rms/bounded_lines.hpp"
#include "rms/line_program.hpp"

namespace ductile::broker {

/// The first question starts the program. If the program ends, the next question starts it again. A
/// program that does not answer in time, or that writes much that nobody asked for, is killed.
class PolicyProgram final : public DecisionSource {
  public:
    struct Settings {
        std::vector<std::string> command;  ///< the program and its arguments
        std::string directory;             ///< where it runs
        std::string job;
        std::chrono::milliseconds answers_within = std::chrono::seconds(10);
    };

    PolicyProgram(asio::io_context& io, Settings settings);

    /// The program and its arguments.
    [[nodiscard]] std::string name() const override;
    void ask(const PolicyQuestion& question, OnAnswer on_answer) override;

  private:
    struct Open {
        policy::JobView job;
        OnAnswer on_answer;
    };

    void start();
    void on_output(std::string_view piece);
    void on_line(const rms::BoundedLines::Line& line);
    void on_end(const std::string& how);
    void answer(const PolicyAnswer& answer);
    void fail(const std::string& what);

    asio::io_context& io_;
    Settings settings_;
    os::JobTimer timer_;
    std::unique_ptr<rms::LineProgram> program_;
    rms::BoundedLines lines_{max_policy_line};
    std::int64_t last_id_ = 0;
    std::size_t read_bytes_ = 0;  ///< since the last question
    std::optional<Open> open_;    ///< the open question; its id is last_id_
};

}  // namespace ductile::broker
