#include "broker/broker.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

#include "broker/size_in_range.hpp"
#include "wire/event_loop.hpp"
#include "wire/printable.hpp"
#include "wire/proxy_name.hpp"

namespace ductile::broker {

namespace {

using namespace std::chrono_literals;

constexpr auto agent_end_within = 15s;

}  // namespace

Broker::Broker(JobSpec spec, std::unique_ptr<rms::ResourceManager> rms,
               const std::string& directory, std::string journal_path,
               std::optional<Journal> taken_over)
    : spec_(std::move(spec)),
      rms_(std::move(rms)),
      journal_path_(std::move(journal_path)),
      journal_(std::move(taken_over)),
      events_(spec_.events, journal_.has_value()),
      console_(
          io_, [this](bool full) { agents_.pause_output(full); },
          [this](int error) {
              if (error == EPIPE) return end_job(128 + SIGPIPE, "nobody reads the output any more");
              end_job(code_lost,
                      std::string("the output cannot be written: ") + std::strerror(error));
          }),
      agents_(io_, spec_.id, *rms_,
              {15s, std::chrono::milliseconds(static_cast<int>(spec_.launch.beat_s * 1000)),
               std::chrono::milliseconds(static_cast<int>(spec_.launch.beat_limit_s * 1000))},
              {[this](HostIndex host, const wire::FromAgent& message) {
                   on_agent_message(host, message);
               },
               [this](HostIndex host) { on_agent_up(host); },
               [this](HostIndex host, const std::string& why) { on_agent_lost(host, why); },
               [this](HostIndex host) { on_agent_gone(host); },
               [this](HostIndex, const wire::Output& output) { on_output(output); },
               [this] { return journal_step("an agent is started"); },
               [this](HostIndex host) {
                   if (!resuming_) return false;
                   refuse_takeover("an agent of host " + host_name(host) +
                                   " runs, and the journal knows of none that was started so late");
                   return true;
               }},
              journal_ ? std::optional(seat_in(*journal_)) : std::nullopt),
      requests_(std::make_unique<RequestServer>(
          io_, directory + "/" + socket_name,
          [this](const wire::Request& request, const RequestServer::Respond& respond) {
              on_request(request, respond);
          })),
      signals_(io_),
      ticker_(io_),
      limits_(spec_.limits) {
    agents_.set_welcome(spec_.launch);
    for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) signals_.add(number);
    ::signal(SIGPIPE, SIG_IGN);
}

Broker::~Broker() = default;

int Broker::run() {
    if (journal_)
        resume_job();
    else
        start_job();
    on_signal(0);
    wait_for_tick();
    if (input_open_) console_.read_input([this](const std::string& data) { on_input(data); });
    wire::run_to_end(io_, [this](const std::string& why) {
        end_job(code_lost,
                "an internal error of the broker: " + why + "; the job is ended on all hosts");
    });
    console_.drain(10);
    if (!takeover_refused_.empty()) throw SystemError(takeover_refused_);
    return exit_code_;
}

core::Allocation Broker::living_hosts() const {
    auto living = rms_->allocation();
    for (const auto host : lost_hosts_)
        living.hosts[static_cast<std::size_t>(host.value)].slots = 0;
    return living;
}

std::string Broker::host_name(HostIndex host) const {
    return rms_->allocation().at(host).name;
}

void Broker::say(const std::string& text) {
    console_.write(2, "ductile: " + wire::printable(text) + "\n");
}

// ---- start ----

core::Group Broker::plan_start() const {
    const auto planned = plan_first_world(spec_.ranks, rms_->allocation(), limits_);
    if (const auto* refused = std::get_if<Refused>(&planned)) throw InputError(refused->why);
    return std::get<core::Group>(planned);
}

void Broker::start_job() {
    const std::vector groups{plan_start()};
    next_group_ = worlds_met_ = static_cast<int>(groups.size());
    layout_ = core::Layout::of(groups);
    start_forming_.emplace(groups);
    wire::RankWelcome welcome;
    welcome.job = spec_.id;
    welcome.role = wire::Role::initial;
    welcome.added = wire::to_fields(groups);
    events_.record("job_started", {{"job", spec_.id},
                                   {"ranks", layout_.size()},
                                   {"hosts", layout_.hosts().size()},
                                   {"program", spec_.launch.program},
                                   {"mpi", spec_.mpi.implementation + " " + spec_.mpi.version},
                                   {"rms", rms_->describe()}});
    open_journal();
    if (const auto why = journal_step("the job is started"))
        throw SystemError("cannot start the job: " + *why);
    begun_ = true;
    start_groups(groups, welcome, false);
}

void Broker::start_groups(const std::vector<core::Group>& groups, const wire::RankWelcome& base,
                          bool spawned) {
    wire::RankWelcome welcome = base;
    welcome.progress_s = spec_.progress_s;
    welcome.vote_s = spec_.vote_s;
    std::map<HostIndex, std::vector<wire::StartRun>> runs;
    for (const auto& group : groups) {
        groups_.add(group);
        welcome.starters = starters_in(group.id);
        std::variant<wire::ByLauncher, wire::ServedWorld> manager;
        if (spec_.mpi.agents_start_ranks)
            manager = open_world(group, spawned ? pmi::Gate::shut : pmi::Gate::open);
        int first = 0;
        for (const auto& share : group.shares()) {
            const bool leads = first == 0 && !spawned;
            runs[share.host].push_back({group.id,
                                        share.ranks,
                                        leads && input_open_ && base.role == wire::Role::initial,
                                        welcome,
                                        first,
                                        leads ? world_of(group) : std::vector<wire::WorldHost>{},
                                        spawned,
                                        manager,
                                        {}});
            first += share.ranks;
        }
    }
    for (const auto& [host, on_host] : runs) {
        if (agents_.is_up(host)) {
            for (const auto& run : on_host) agents_.send(host, run);
        } else {
            agents_.start(host, on_host);
        }
    }
}

std::vector<wire::WorldHost> Broker::world_of(const core::Group& group) const {
    std::vector<wire::WorldHost> world;
    if (!group.spans_hosts() || spec_.mpi.agents_start_ranks) return world;
    int part = 0;
    for (const auto& share : group.shares()) {
        world.push_back({share.host, host_name(share.host), share.ranks});
        if (by_entry())
            world.back().name = part == 0 ? "localhost" : wire::proxy_word({group.id, part});
        ++part;
    }
    return world;
}

void Broker::on_agent_up(HostIndex host) {
    lost_hosts_.erase(host);
    if (resuming_) agents_.send(host, wire::TakeStock{});
    for (const auto& [id, state] : groups_.all()) {
        if (!state.is_on(host)) continue;
        if (state.role == GroupRole::undone) agents_.send(host, wire::KillRun{id});
        const auto proxy = state.proxies.find(host);
        if (proxy != state.proxies.end()) agents_.send(host, proxy->second);
    }
    if (state_ == State::ending) agents_.send(host, wire::EndJob{end_why_});
    if (!resuming_) finish_idle_agents();
}

void Broker::begin_job() {
    for (const auto group : layout_.groups()) groups_.find(group)->role = GroupRole::member;
    state_ = State::running;
    journal_fact("the job runs");
    send_to_members(wire::Commit{core::TransactionId{0}, 0, wire::LayoutFields(layout_)});
    start_forming_.reset();
    events_.record(
        "job_running",
        {{"ranks", layout_.size()},
         {"since_start_s", std::chrono::duration<double>(Clock::now() - started_).count()}});
    announce_deputy();
    ask_for_input();
    start_next_request();
}

void Broker::announce_deputy() {
    if (layout_.empty()) return;
    const auto host = layout_.host_of(core::Rank{0});
    const auto* hello = agents_.hello(host);
    if (hello == nullptr) return;
    agents_.send_to_all(wire::Deputy{host, hello->addresses, hello->port, layout_.hosts()});
}

void Broker::on_signal(int signal) {
    if (signal != 0) {
        if (++signals_seen_ > 1) return stop_loop();
        end_job(128 + signal, fmt::format("ended by signal {} ({})", signal, ::strsignal(signal)));
    }
    signals_.async_wait([this](const std::error_code& error, int number) {
        if (!error) on_signal(number);
    });
}

void Broker::wait_for_tick() {
    const bool wants_input = input_open_ && !input_asked_;
    const bool busy =
        transaction_ || suspect_ || !finishing_.empty() || wants_input || state_ != State::running;
    ticker_.expires_after(busy ? 20ms : 500ms);
    ticker_.async_wait([this](const std::error_code& error) {
        if (error) return;
        tick();
        wait_for_tick();
    });
}

void Broker::tick() {
    if (end_deadline_ && Clock::now() > *end_deadline_) {
        for (const auto host : agents_.hosts())
            say("host " + host_name(host) +
                " did not answer; its agent ends the job there by itself");
        return stop_loop();
    }
    std::vector<HostIndex> late;
    for (const auto& [host, since] : finishing_)
        if (Clock::now() - since > agent_end_within) late.push_back(host);
    for (const auto host : late) {
        agents_.drop(host);
        on_agent_lost(host, "its agent did not end in time");
    }
    if (absent_deadline_ && Clock::now() > *absent_deadline_) {
        absent_deadline_.reset();
        agents_.give_up_on_absent("the job has ended before its agent connected");
    }
    check_directory();
    if (suspect_ && Clock::now() > suspect_->until) blame_suspect();
    ask_for_input();
    check_settling();
    check_deadlines();
    renew_if_worn();
}

void Broker::check_directory() {
    if (directory_missed_ || requests_->is_reachable()) return;
    directory_missed_ = true;
    say(
        fmt::format("the job's directory {} was removed while the job runs: no command can reach "
                    "the job any more, and no other broker can take it over. The program runs on; "
                    "to end it send SIGTERM to process {}",
                    std::filesystem::path(journal_path_).parent_path().string(), ::getpid()));
}

// ---- standard streams ----

void Broker::on_output(const wire::Output& output) {
    if (!spec_.tag) return console_.write(output.stream, output.data);
    const std::string tag = fmt::format("[g{}.{}] ", output.group.value, output.rank.value);
    std::string tagged;
    for (std::size_t at = 0; at < output.data.size();) {
        const auto end = output.data.find('\n', at);
        const auto next = end == std::string::npos ? output.data.size() : end + 1;
        tagged += tag;
        tagged.append(output.data, at, next - at);
        at = next;
    }
    console_.write(output.stream, std::move(tagged));
}

void Broker::ask_for_input() {
    if (!input_open_ || input_asked_ || layout_.empty()) return;
    if (agents_.input_queued(layout_.host_of(core::Rank{0})) > (256u << 10)) return;
    input_asked_ = true;
    console_.more_input();
}

void Broker::on_input(const std::string& data) {
    input_asked_ = false;
    if (layout_.empty()) return;
    agents_.send_input(layout_.host_of(core::Rank{0}), data);
    input_open_ = input_open_ && !data.empty();
    ask_for_input();
}

// It follows rank 0.
void Broker::move_input(const core::Layout& before) {
    const auto reader = leader();
    if (!input_open_ || before.at(core::Rank{0}) == reader) return;
    agents_.send(layout_.host_of(core::Rank{0}), wire::GiveInput{reader.group, reader.rank});
}

}  // namespace ductile::broker
