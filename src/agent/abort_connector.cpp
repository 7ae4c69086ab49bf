#include "agent/abort_connector.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "os/pipe.hpp"

namespace ductile::agent {

namespace {

constexpr auto abort_connector_deadline = std::chrono::seconds(5);

}  // namespace

std::shared_ptr<AbortConnector> AbortConnector::start(asio::io_context& io,
                                                      const std::string& program,
                                                      const wire::RunAbortConnector& what,
                                                      std::vector<std::string> environment,
                                                      const std::string& stale_files_record) {
    const auto pipe = os::make_pipe("the abort connector");
    const auto text =
        wire::to_frame(wire::ToAgent{what});  // fits into a pipe, so this does not block
    if (::write(pipe.write.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        throw SystemError("cannot write to the abort connector's pipe");
    os::Spawn spawn;
    spawn.umask = 022;
    spawn.argv = {program};
    spawn.environment = std::move(environment);
    spawn.input = pipe.read.get();
    auto self = std::make_shared<AbortConnector>(io, what.transaction, stale_files_record);
    const auto on_line = [weak = std::weak_ptr(self)](const std::string& said) {
        if (const auto alive = weak.lock()) alive->heard(said);
    };
    self->run_ = LauncherRun::start(io, std::move(spawn), on_line);
    self->timer_.expires_after(abort_connector_deadline);
    self->timer_.async_wait([weak = std::weak_ptr(self)](const asio::error_code& error) {
        const auto late = weak.lock();
        if (!error && late) late->kill();
    });
    return self;
}

void AbortConnector::heard(const std::string& line) {
    if (line == "ready")  // MPI is initialised
        stale_files_.note_all({pid()});
    else
        said_ = line;
}

void AbortConnector::kill() {
    late_ = true;
    stale_files_.note_all({pid()});
    run_->kill();
}

wire::AbortConnectorEnded AbortConnector::reaped(int status) {
    timer_.cancel();
    run_->reaped(status);
    stale_files_.remove();
    const bool ok = run_->code() == 0;
    std::string why;
    if (late_)
        why = "the abort connector had not connected after 5 s";
    else if (!ok)
        why = "the abort connector ended with code " + std::to_string(run_->code()) + ": " + said_;
    return {transaction_, ok, why};
}

}  // namespace ductile::agent
