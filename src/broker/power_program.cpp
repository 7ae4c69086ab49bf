#include "broker/power_program.hpp"

#include <fmt/format.h>

#include <utility>

#include "broker/power_lines_json.hpp"
#include "ductile/error.hpp"
#include "wire/printable.hpp"

namespace ductile::broker {

PowerProgram::PowerProgram(asio::io_context& io, std::vector<std::string> command,
                           std::string directory, Events events)
    : io_(io),
      command_(std::move(command)),
      directory_(std::move(directory)),
      events_(std::move(events)) {}

void PowerProgram::watch(const std::vector<std::string>& hosts) {
    try {
        if (!program_) start();
    } catch (const Error& error) {
        return fail(error.what());
    }
    if (hosts == hosts_) return;
    hosts_ = hosts;
    program_->send(hosts_line(hosts));
}

void PowerProgram::start() {
    lines_ = rms::BoundedLines(max_line);
    hosts_.clear();
    program_ = std::make_unique<rms::LineProgram>(
        io_, command_, directory_,
        rms::LineProgram::Events{[this](std::string_view piece) { on_output(piece); },
                                 [this](const std::string& how) {
                                     program_.reset();
                                     fail("it has ended (" + how + ")");
                                 }});
}

void PowerProgram::on_output(std::string_view piece) {
    for (const auto& line : lines_.add(piece)) {
        try {
            if (!line.text) throw InputError(fmt::format("longer than {} bytes", max_line));
            const auto power = parse_power(*line.text);
            events_.on_power(power.host, power.watts);
        } catch (const InputError& error) {
            program_->kill();
            program_.reset();
            return fail(fmt::format("line {}: {}", line.number, error.what()));
        }
    }
}

void PowerProgram::fail(const std::string& what) {
    events_.on_failure(wire::on_one_line(
        fmt::format("the program {} has failed: {}", fmt::join(command_, " "), what)));
}

}  // namespace ductile::broker
