#include "cli/job_run.hpp"

#include "core/contract.hpp"
#include "ductile/error.hpp"
#include "rms/self.hpp"

namespace ductile::cli {

namespace {

rms::Command command_for(std::vector<std::string> words, std::chrono::seconds deadline,
                         int cancel_on) {
    rms::Command command;
    words.insert(words.begin(), rms::self_path());
    command.arguments = std::move(words);
    command.environment = rms::current_environment();
    command.deadline = deadline;
    command.death_signal = SIGTERM;            // if this process is killed, the job ends
    command.grace = std::chrono::seconds(10);  // a broker must free its hosts before it ends
    command.settle = std::chrono::seconds(2);
    if (cancel_on >= 0) command.cancel_on = {cancel_on};
    return command;
}

}  // namespace

JobRun::JobRun(std::vector<std::string> words, std::chrono::seconds deadline) {
    command_ = command_for(std::move(words), deadline, cancel_.read.get());
    thread_ = std::thread([this] {
        try {
            result_ = rms::run_command(command_);
        } catch (const std::exception& error) {
            result_.err = error.what();  // `ended` stays not_started
        }
        finished_ = true;
    });
}

JobRun::~JobRun() {
    cancel_.write.reset();
    thread_.join();
}

void JobRun::expect_success() const {
    DUCTILE_EXPECT(finished());
    if (result_.succeeded()) return;
    throw SystemError("the job has failed (" + how_it_ended(command_, result_) +
                      "); it printed:\n" + result_.out + result_.err);
}

rms::CommandResult run_ductile(const std::vector<std::string>& words, std::chrono::seconds deadline,
                               int cancel_on) {
    return rms::run_command(command_for(words, deadline, cancel_on));
}

}  // namespace ductile::cli
