#include "site/site_server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <asio/buffers_iterator.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/ip/v6_only.hpp>
#include <asio/read_until.hpp>
#include <asio/streambuf.hpp>
#include <asio/write.hpp>
#include <utility>

#include "core/counted.hpp"
#include "core/overloaded.hpp"
#include "ductile/error.hpp"

namespace ductile::site {

namespace {

using Tcp = asio::ip::tcp;
using namespace std::chrono_literals;

constexpr auto ask_within = 5s;
constexpr auto answered_within = 30s;
constexpr auto pause_after_error = 100ms;
/// Questions that come between two looks at Slurm share the second one.
constexpr auto look_at_most_every = 250ms;
constexpr int most_sessions = 512;
constexpr std::ptrdiff_t most_questions_of_a_user = 128;
/// A job that asked earlier than this has given up (SiteCall::answers_within).
constexpr auto waits_for_answer = 8s;

// One question of a job, and its answer. It lives as long as an operation or a reply holds it.
class Session : public std::enable_shared_from_this<Session> {
  public:
    using Reply = std::function<void(const Answer&)>;
    using OnAsk = std::function<void(std::uint32_t user, const Ask& ask, Reply reply)>;

    Session(Tcp::socket socket, Munge& munge, OnAsk on_ask, std::shared_ptr<int> open)
        : socket_(std::move(socket)),
          deadline_(socket_.get_executor()),
          munge_(munge),
          on_ask_(std::move(on_ask)),
          open_(std::move(open)) {
        ++*open_;
    }
    ~Session() { --*open_; }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    void start() {
        close_after(ask_within);
        asio::async_read_until(
            socket_, question_, '\n',
            [self = shared_from_this()](const std::error_code& error, std::size_t size) {
                if (error) return self->close();
                self->open(size - 1);
            });
    }

  private:
    void close_after(std::chrono::seconds time) {
        deadline_.expires_after(time);
        deadline_.async_wait([self = shared_from_this()](const std::error_code& error) {
            if (!error) self->close();
        });
    }

    void open(std::size_t size) {
        close_after(answered_within);
        const auto begin = asio::buffers_begin(question_.data());
        munge_.open(std::string(begin, begin + static_cast<std::ptrdiff_t>(size)),
                    [self = shared_from_this()](const auto& opened) {
                        if (const auto* known = std::get_if<Opened>(&opened))
                            self->hear(*known);
                        else
                            self->close();  // nobody knows who would get an answer
                    });
    }

    void hear(const Opened& opened) {
        const auto reply = [self = shared_from_this(), user = opened.user](const Answer& answer) {
            self->send(answer, user);
        };
        try {
            on_ask_(opened.user, parse_question(opened.payload), reply);
        } catch (const InputError& error) {
            close();
        }
    }

    void send(const Answer& answer, std::uint32_t reader) {
        munge_.seal(to_payload(answer), reader, [self = shared_from_this()](const auto& sealed) {
            const auto* line = std::get_if<std::string>(&sealed);
            if (line == nullptr) return self->close();
            self->answer_ = *line + "\n";
            asio::async_write(self->socket_, asio::buffer(self->answer_),
                              [self](const std::error_code&, std::size_t) { self->close(); });
        });
    }

    void close() {
        deadline_.cancel();
        std::error_code ignored;
        socket_.close(ignored);
    }

    Tcp::socket socket_;
    asio::steady_timer deadline_;
    Munge& munge_;
    OnAsk on_ask_;
    std::shared_ptr<int> open_;
    asio::streambuf question_{max_credential_bytes};
    std::string answer_;
};

/// All addresses: those of IPv6 include those of IPv4, where this host has IPv6.
Tcp::endpoint endpoint_of(asio::io_context& io, const SiteSettings& settings) {
    if (settings.address.empty()) {
        std::error_code error;
        Tcp::socket probe(io);
        probe.open(Tcp::v6(), error);
        return {error ? Tcp::v4() : Tcp::v6(), settings.port};
    }
    std::error_code error;
    const auto found =
        Tcp::resolver(io).resolve(settings.address, std::to_string(settings.port), error);
    if (error || found.empty())
        throw SystemError("cannot find the address " + settings.address + ": " + error.message());
    return *found.begin();
}

policy::WaitingJobId id_of(rms::SlurmJob job) {
    return policy::WaitingJobId{job.value};
}

/// The jobs of a partition, with the hosts of their sidecars.
policy::SiteView view_of(const rms::SlurmSiteSeen& seen, const std::string& partition,
                         const policy::ClusterView& cluster) {
    policy::SiteView view{cluster, {}};
    for (const auto& one : seen.jobs) {
        if (one.is_waiting || one.partition != partition) continue;
        const auto sidecar = seen.sidecars.find(one.job);
        const auto whose = sidecar == seen.sidecars.end() ? one.job : sidecar->second;
        view.hosts[policy::SiteJobId{whose.value}] += one.hosts;
    }
    return view;
}

std::string shown(const policy::Decision& decision, int ranks) {
    return decision.ranks ? fmt::format("{} -> {} ranks ({})", ranks, *decision.ranks, decision.why)
                          : decision.why;
}

}  // namespace

struct SiteServer::Listener : std::enable_shared_from_this<Listener> {
    Listener(asio::io_context& io, const Tcp::endpoint& endpoint, Munge& its_munge,
             Session::OnAsk handler)
        : acceptor(io), retry(io), munge(its_munge), on_ask(std::move(handler)) {
        try {
            acceptor.open(endpoint.protocol());
            acceptor.set_option(Tcp::acceptor::reuse_address(true));
            if (endpoint.protocol() == Tcp::v6() && endpoint.address().is_unspecified())
                acceptor.set_option(asio::ip::v6_only(false));
            acceptor.bind(endpoint);
            acceptor.listen();
        } catch (const std::system_error& error) {
            throw SystemError(fmt::format("cannot listen at port {}: {}", endpoint.port(),
                                          error.code().message()));
        }
    }

    void accept() {
        acceptor.async_accept([self = shared_from_this()](const std::error_code& error,
                                                          Tcp::socket socket) {
            if (!self->acceptor.is_open()) return;
            if (error) return self->accept_later();  // for example, no free descriptor
            if (*self->open < most_sessions)
                std::make_shared<Session>(std::move(socket), self->munge, self->on_ask, self->open)
                    ->start();
            self->accept();
        });
    }

    void accept_later() {
        retry.expires_after(pause_after_error);
        retry.async_wait([self = shared_from_this()](const std::error_code& stopped) {
            if (!stopped && self->acceptor.is_open()) self->accept();
        });
    }

    Tcp::acceptor acceptor;
    asio::steady_timer retry;
    Munge& munge;
    Session::OnAsk on_ask;
    std::shared_ptr<int> open = std::make_shared<int>(0);
};

SiteServer::SiteServer(asio::io_context& io, const SiteSettings& settings,
                       std::function<void(const std::string&)> log)
    : io_(io),
      log_(std::move(log)),
      sharing_(settings.sharing),
      journal_(settings.folder),
      priorities_(client_, [this](policy::WaitingJobId job,
                                  const auto& change) { journal_.write(job, change); }),
      munge_(io, settings.munge_socket),
      look_timer_(io),
      put_back_timer_(io),
      recovery_timer_(io) {
    client_.attach(io_);
    put_back_what_was_raised_before();
    put_back_each_second();
    listener_ = std::make_shared<Listener>(io_, endpoint_of(io_, settings), munge_,
                                           [this](std::uint32_t user, const Ask& one, Reply reply) {
                                               ask(user, one, std::move(reply));
                                           });
    listener_->accept();
}

SiteServer::~SiteServer() {
    std::error_code ignored;
    listener_->acceptor.close(ignored);
    listener_->retry.cancel();
    client_.stop();
    for (const auto& [job, command] : priorities_.all_back())
        if (client_.run_at_end(command).succeeded()) journal_.write(job, std::nullopt);
}

double SiteServer::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

void SiteServer::ask(std::uint32_t user, const Ask& ask, Reply reply) {
    const auto of_user = std::ranges::count(waiting_, user, &Waiting::user);
    if (of_user >= most_questions_of_a_user)
        return reply(Refused{ask.nonce, "too many questions of this user wait"});
    waiting_.push_back({user, ask, std::move(reply), std::chrono::steady_clock::now()});
    look_soon(0ms);
}

void SiteServer::look_soon(std::chrono::milliseconds pause) {
    if (is_looking_) return;
    look_timer_.expires_at(
        std::max(looked_at_ + look_at_most_every, std::chrono::steady_clock::now() + pause));
    look_timer_.async_wait([this](const std::error_code& error) {
        if (!error && !is_looking_) look();
    });
}

void SiteServer::look() {
    is_looking_ = true;
    looked_at_ = std::chrono::steady_clock::now();
    auto asking = std::make_shared<const std::vector<Waiting>>(std::exchange(waiting_, {}));
    std::set<std::pair<std::uint32_t, std::uint32_t>> wanted;  // job, user
    for (const auto& one : *asking) wanted.emplace(one.ask.slurm_job, one.user);
    for (const auto& [job, growing] : growing_) wanted.emplace(job.value, growing.user);
    slurm_.look(
        [wanted = std::move(wanted)](const rms::SiteJob& one) {
            return !one.is_waiting && wanted.contains({one.job.value, one.user});
        },
        [this, asking](const auto& seen) { on_seen(*asking, seen); });
}

void SiteServer::on_seen(const std::vector<Waiting>& asking, const rms::SlurmSite::Seen& seen) {
    is_looking_ = false;
    const auto too_old = std::chrono::steady_clock::now() - waits_for_answer;
    if (const auto* cannot = std::get_if<rms::CannotSee>(&seen)) {
        log_("Slurm cannot be seen: " + cannot->why);
        for (const auto& one : asking)
            one.reply(Refused{one.ask.nonce, "Slurm cannot be seen: " + cannot->why});
        growing_.clear();
    } else {
        const auto& all = std::get<rms::SlurmSiteSeen>(seen);
        for (const auto& one : asking)
            if (one.asked_at > too_old) decide(one, all);
        raise_sidecars(all);
    }
    if (!waiting_.empty())
        look_soon(0ms);
    else if (!growing_.empty())
        look_soon(look_at_most_every);
}

// A job may speak for a Slurm job of its own user only, and not for more hosts than this has.
void SiteServer::decide(const Waiting& asking, const rms::SlurmSiteSeen& seen) {
    const auto& nonce = asking.ask.nonce;
    const rms::SlurmJob slurm_job{asking.ask.slurm_job};
    const auto found = std::ranges::find_if(seen.jobs, [&](const rms::SiteJob& one) {
        return one.job == slurm_job && one.user == asking.user && !one.is_waiting;
    });
    if (found == seen.jobs.end() || seen.sidecars.contains(slurm_job))
        return asking.reply(Refused{nonce, fmt::format("user {} has no running Slurm job {}",
                                                       asking.user, slurm_job.value)});
    const auto& cluster = seen.partitions.at(found->partition);
    if (const auto* cannot = std::get_if<rms::CannotSee>(&cluster)) {
        log_(fmt::format("partition {} cannot be seen: {}", found->partition, cannot->why));
        return asking.reply(Refused{nonce, "Slurm cannot be seen: " + cannot->why});
    }
    const auto view = view_of(seen, found->partition, std::get<policy::ClusterView>(cluster));
    const policy::SiteJobId job{slurm_job.value};
    if (hosts_in(asking.ask) > view.hosts.at(job))
        return asking.reply(Refused{nonce, fmt::format("Slurm job {} has only {}", job.value,
                                                       core::counted(view.hosts.at(job), "host"))});
    policy::SiteQuestion question;
    try {
        question = to_question(asking.ask);
    } catch (const InputError& error) {
        return asking.reply(Refused{nonce, error.what()});
    }
    auto& partition = partitions_
                          .try_emplace(found->partition,
                                       Partition{policy::SitePolicy(sharing_), {}, std::nullopt})
                          .first->second;
    const auto decision = partition.policy.decide(question, view, seconds());
    if (partition.policy.hosts_missing(job, view, seconds()) > 0)
        growing_[job] = {asking.user, found->partition};
    carry_out(partition, asking, decision);
}

// Priority first: the waiting job is raised before the hosts are given up for it.
void SiteServer::carry_out(Partition& partition, const Waiting& asking,
                           const policy::Decision& decision) {
    const auto change = partition.raised.decided(decision, seconds());
    partition.wanted = decision.raised;
    const auto answer = [this, asking](const policy::Decision& wanted) {
        if (wanted.ranks)
            log_(fmt::format("job {}: {}", asking.ask.slurm_job, shown(wanted, asking.ask.ranks)));
        asking.reply(to_decided(wanted, asking.ask.nonce));
    };
    if (change.put_back) priorities_.put_back(*change.put_back);
    if (!change.raise) return answer(decision);
    priorities_.raise(*change.raise, [this, &partition, decision, answer,
                                      job = *change.raise](const rms::RaiseAnswer& raised) {
        auto told = decision;
        on_raised(partition, job, raised, told);
        answer(told);
    });
}

// The policy may want another job to be raised by now.
void SiteServer::on_raised(Partition& partition, policy::WaitingJobId job,
                           const rms::RaiseAnswer& raised, policy::Decision& decision) {
    if (std::holds_alternative<rms::Raised>(raised)) {
        if (partition.wanted != job || !(partition.raised.is_none() || partition.raised.is(job)))
            return priorities_.put_back(job);
        partition.raised.raised(job, seconds());
        decision.why += "; its priority is raised";
    } else if (const auto* stays = std::get_if<rms::NotRaised>(&raised)) {
        decision.why += "; its priority stays";
        if (!stays->why.empty()) decision.why += ": " + stays->why;
    }
}

// A job grows onto idle hosts that no waiting job can use. But Slurm puts the sidecars of a user
// who may not raise them behind the waiting jobs.
void SiteServer::raise_sidecars(const rms::SlurmSiteSeen& seen) {
    std::map<policy::SiteJobId, int> missing;
    for (const auto& [job, growing] : growing_) {
        const auto partition = seen.partitions.find(growing.partition);
        if (partition == seen.partitions.end()) continue;
        const auto* cluster = std::get_if<policy::ClusterView>(&partition->second);
        if (cluster == nullptr) continue;
        const int hosts =
            partitions_.at(growing.partition)
                .policy.hosts_missing(job, view_of(seen, growing.partition, *cluster), seconds());
        if (hosts > 0) missing[job] = hosts;
    }
    std::erase_if(growing_, [&](const auto& one) { return !missing.contains(one.first); });

    std::set<policy::WaitingJobId> wanted;
    for (const auto& one : seen.jobs) {
        const auto sidecar = seen.sidecars.find(one.job);
        if (!one.is_waiting || sidecar == seen.sidecars.end()) continue;
        const auto hosts = missing.find(policy::SiteJobId{sidecar->second.value});
        if (hosts == missing.end() || hosts->second-- <= 0) continue;
        wanted.insert(id_of(one.job));
        if (raised_sidecars_.insert(id_of(one.job)).second)
            priorities_.raise(id_of(one.job), [](const rms::RaiseAnswer&) {});
    }
    std::erase_if(raised_sidecars_, [&](policy::WaitingJobId sidecar) {
        if (wanted.contains(sidecar)) return false;
        priorities_.put_back(sidecar);  // it has started or ended, or it has waited too long
        return true;
    });
}

void SiteServer::put_back_each_second() {
    for (auto& [name, partition] : partitions_)
        if (const auto job = partition.raised.waits(seconds())) priorities_.put_back(*job);
    priorities_.put_back_rest();
    put_back_timer_.expires_after(1s);
    put_back_timer_.async_wait([this](const std::error_code& error) {
        if (!error) put_back_each_second();
    });
}

// A job that an earlier ductiled has raised may just be getting its hosts, so it stays raised for a
// while.
void SiteServer::put_back_what_was_raised_before() {
    const auto& before = journal_.raised_before();
    if (before.empty()) return;
    log_(fmt::format("{} that an earlier ductiled has raised: put back in {:.0f} s",
                     core::counted(before.size(), "waiting job"), policy::RaisedJob::kept_s));
    for (const auto& [job, change] : before) priorities_.adopt(job, change);
    recovery_timer_.expires_after(std::chrono::duration_cast<std::chrono::steady_clock::duration>(
        std::chrono::duration<double>(policy::RaisedJob::kept_s)));
    recovery_timer_.async_wait([this](const std::error_code& error) {
        if (error) return;
        for (const auto& [job, change] : journal_.raised_before()) {
            const bool is_raised_again = std::ranges::any_of(
                partitions_, [job = job](const auto& one) { return one.second.raised.is(job); });
            if (!is_raised_again) priorities_.put_back(job);
        }
    });
}

}  // namespace ductile::site
