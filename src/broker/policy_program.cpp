#include "broker/policy_program.hpp"

#include <fmt/format.h>

#include <utility>

#include "wire/printable.hpp"

namespace ductile::broker {

namespace {

constexpr std::size_t most_unasked_bytes = std::size_t{1} << 20;

}  // namespace

PolicyProgram::PolicyProgram(asio::io_context& io, Settings settings)
    : io_(io), settings_(std::move(settings)), timer_(io) {}

std::string PolicyProgram::name() const {
    return fmt::format("{}", fmt::join(settings_.command, " "));
}

void PolicyProgram::ask(const PolicyQuestion& question, OnAnswer on_answer) {
    open_ = Open{question.job, std::move(on_answer)};
    ++last_id_;
    try {
        if (!program_) start();
    } catch (const Error& error) {
        return fail(error.what());
    }
    read_bytes_ = 0;
    program_->send(decide_line(last_id_, question));
    timer_.expires_after(settings_.answers_within);
    timer_.async_wait([this, id = last_id_](const std::error_code& error) {
        if (error || !open_ || id != last_id_) return;
        program_->kill();
        fail(fmt::format("{} has not answered within {:.0f} s", name(),
                         std::chrono::duration<double>(settings_.answers_within).count()));
    });
}

void PolicyProgram::start() {
    lines_ = rms::BoundedLines(max_policy_line);
    program_ = std::make_unique<rms::LineProgram>(
        io_, settings_.command, settings_.directory,
        rms::LineProgram::Events{[this](std::string_view piece) { on_output(piece); },
                                 [this](const std::string& how) { on_end(how); }});
    program_->send(policy_hello_line(settings_.job));
}

void PolicyProgram::on_output(std::string_view piece) {
    read_bytes_ += piece.size();
    if (read_bytes_ > most_unasked_bytes) return program_->kill();
    for (const auto& line : lines_.add(piece)) on_line(line);
}

// A line that comes while no question is open is too late, and is dropped.
void PolicyProgram::on_line(const rms::BoundedLines::Line& line) {
    if (!open_) return;
    std::optional<policy::Decision> decision;
    try {
        if (!line.text) throw InputError(fmt::format("longer than {} KiB", max_policy_line / 1024));
        const auto said = parse_decision(*line.text);
        if (said.id != last_id_) return;
        decision = decision_for(open_->job, said);
    } catch (const InputError& error) {
        return fail(fmt::format("{}, line {}: {}", name(), line.number, error.what()));
    }
    answer(*decision);
}

void PolicyProgram::on_end(const std::string& how) {
    program_.reset();
    fail(fmt::format("{} has ended ({})", name(), how));
}

void PolicyProgram::answer(const PolicyAnswer& answer) {
    if (!open_) return;
    timer_.cancel();
    const auto on_answer = std::exchange(open_, std::nullopt)->on_answer;
    on_answer(answer);
}

void PolicyProgram::fail(const std::string& what) {
    answer(NoDecision{wire::on_one_line("the policy's program has failed: " + what)});
}

}  // namespace ductile::broker
