#include "rms/program.hpp"

#include <algorithm>
#include <asio/post.hpp>
#include <chrono>
#include <string_view>

#include "rms/line_program.hpp"
#include "rms/program_protocol.hpp"
#include "rms/remote_shell.hpp"
#include "rms/self.hpp"

namespace ductile::rms {

namespace {

class Program final : public ResourceManager {
  public:
    explicit Program(ProgramSettings settings)
        : settings_(std::move(settings)),
          protocol_(settings_.command.empty() ? "" : settings_.command.front(), settings_.job,
                    settings_.held) {
        if (settings_.command.empty())
            throw InputError("a resource manager's program is needed, and none is named");
        check_remote_shell(settings_.remote_shell);
    }

    const core::Allocation& allocation() const override { return settings_.held; }
    std::unique_ptr<AgentProcess> start_agent(asio::io_context& io, const std::string& host,
                                              const std::vector<std::string>& argv,
                                              const std::string& bootstrap_line,
                                              AgentProcess::OnExit on_exit) override {
        return std::make_unique<AgentProcess>(io,
                                              fill_remote_shell(settings_.remote_shell, host, argv),
                                              bootstrap_line + "\n", std::move(on_exit));
    }

    void attach(asio::io_context& io, OnHostAnswer on_answer, OnNotice notify_user) override {
        notify_user_ = std::move(notify_user);
        io_ = &io;
        on_answer_ = std::make_shared<const OnHostAnswer>(std::move(on_answer));
        start();
    }
    void request(RequestId id, const HostRequest& request) override {
        perform(protocol_.request(id, request));
    }
    void cancel(RequestId id) override { perform(protocol_.cancel(id)); }
    void release(const std::string& host) override { perform(protocol_.release(host)); }
    bool takes_back() const override { return true; }

    std::vector<std::string> broker_addresses() const override { return addresses_for_others(); }
    std::string bind_address() const override { return "::"; }
    bool logical() const override { return false; }
    std::string describe() const override {
        return "hosts from " + settings_.command.front() + ", reached by " +
               settings_.remote_shell.front();
    }

  private:
    void start();
    void start_again();
    void ended(const std::string& how);
    void perform(const ProgramEffects& effects);
    void perform(const StartProgram&) { start_again(); }
    void perform(const SendLine& line);
    void perform(const AnswerJob& answer);
    void perform(const NotifyUser& text);

    ProgramSettings settings_;
    ProgramProtocol protocol_;
    asio::io_context* io_ = nullptr;
    std::shared_ptr<const OnHostAnswer> on_answer_;
    OnNotice notify_user_;
    std::unique_ptr<LineProgram> program_;
};

void Program::start() {
    LineProgram::Events events;
    events.on_output = [this](std::string_view piece) { perform(protocol_.received(piece)); };
    events.on_end = [this](const std::string& how) { ended(how); };
    program_ = std::make_unique<LineProgram>(*io_, settings_.command, settings_.directory,
                                             std::move(events));
    perform(protocol_.started());
}

void Program::start_again() {
    try {
        start();
    } catch (const SystemError& error) {
        ended(error.what());
    }
}

void Program::ended(const std::string& how) {
    program_.reset();
    const auto now = std::chrono::steady_clock::now().time_since_epoch();
    perform(protocol_.ended(std::chrono::duration_cast<ProgramProtocol::Time>(now), how));
}

void Program::perform(const ProgramEffects& effects) {
    for (const auto& effect : effects)
        std::visit([this](const auto& one) { perform(one); }, effect);
}

void Program::perform(const SendLine& line) {
    if (program_) program_->send(line.text);  // if it has ended, its next run gets all requests
}

void Program::perform(const AnswerJob& told) {
    auto answer = told.answer;
    if (auto* granted = std::get_if<Granted>(&answer);
        granted != nullptr && settings_.most_slots > 0)
        for (auto& host : granted->hosts) host.slots = std::min(host.slots, settings_.most_slots);
    asio::post(*io_, [weak = std::weak_ptr(on_answer_), answer = std::move(answer)] {
        if (const auto on_answer = weak.lock()) (*on_answer)(answer);
    });
}

void Program::perform(const NotifyUser& text) {
    notify_user_(text.text);
}

}  // namespace

std::unique_ptr<ResourceManager> make_program(ProgramSettings settings) {
    return std::make_unique<Program>(std::move(settings));
}

}  // namespace ductile::rms
