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

Tcp::endpoint endpoint_of(asio::io_context& io, const SiteSettings& settings) {
    if (settings.address.empty()) return {Tcp::v6(), settings.port};
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

/// All jobs of a partition, with the hosts of their sidecars.
policy::SiteView view_of(const rms::SlurmSiteSeen& seen, const std::string& partition) {
    policy::SiteView view{seen.partitions.at(partition), {}};
    for (const auto& one : seen.jobs)
        if (!one.is_waiting && one.partition == partition)
            view.hosts[policy::SiteJobId{one.sidecar_of.value_or(one.job).value}] += one.hosts;
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
}

double SiteServer::seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

void SiteServer::ask(std::uint32_t user, const Ask& ask, Reply reply) {
    auto question = to_question(ask);
    waiting_.push_back({user, ask.nonce, std::move(question), std::move(reply)});
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
    std::set<rms::SlurmJob> wanted;
    for (const auto& one : waiting_) wanted.insert(rms::SlurmJob{one.question.job.value});
    for (const auto& [job, partition] : growing_) wanted.insert(rms::SlurmJob{job.value});
    slurm_.look(std::move(wanted), [this, asking = std::exchange(waiting_, {})](const auto& seen) {
        on_seen(asking, seen);
    });
}

void SiteServer::on_seen(std::vector<Waiting> asking, const rms::SlurmSite::Seen& seen) {
    is_looking_ = false;
    if (const auto* cannot = std::get_if<rms::CannotSee>(&seen)) {
        log_("Slurm cannot be seen: " + cannot->why);
        for (const auto& one : asking)
            one.reply(Refused{one.nonce, "Slurm cannot be seen: " + cannot->why});
        growing_.clear();
    } else {
        const auto& all = std::get<rms::SlurmSiteSeen>(seen);
        for (const auto& one : asking) decide(one, all);
        raise_sidecars(all);
    }
    if (!waiting_.empty())
        look_soon(0ms);
    else if (!growing_.empty())
        look_soon(look_at_most_every);
}

// A job may speak for a Slurm job of its own user only, and not for more hosts than this has.
void SiteServer::decide(const Waiting& asking, const rms::SlurmSiteSeen& seen) {
    const auto job = asking.question.job;
    const auto found = std::ranges::find_if(seen.jobs, [&](const rms::SiteJob& one) {
        return one.job.value == job.value && one.user == asking.user && !one.is_waiting &&
               !one.sidecar_of;
    });
    if (found == seen.jobs.end())
        return asking.reply(Refused{asking.nonce, fmt::format("user {} has no running Slurm job {}",
                                                              asking.user, job.value)});
    const auto view = view_of(seen, found->partition);
    if (std::cmp_greater(asking.question.view.hosts.size(), view.hosts.at(job)))
        return asking.reply(
            Refused{asking.nonce, fmt::format("Slurm job {} has only {}", job.value,
                                              core::counted(view.hosts.at(job), "host"))});
    auto& partition =
        partitions_.try_emplace(found->partition, policy::SitePolicy(sharing_), policy::RaisedJob())
            .first->second;
    const auto decision = partition.policy.decide(asking.question, view, seconds());
    if (partition.policy.is_growing(job, view, seconds())) growing_[job] = found->partition;
    carry_out(partition, asking, decision);
}

// Priority first: the waiting job is raised before the hosts are given up for it.
void SiteServer::carry_out(Partition& partition, const Waiting& asking, policy::Decision decision) {
    const auto change = partition.raised.decided(decision, seconds());
    const auto answer = [this, asking](const policy::Decision& wanted) {
        if (wanted.ranks)
            log_(fmt::format("job {}: {}", asking.question.job.value,
                             shown(wanted, asking.question.view.ranks)));
        asking.reply(to_decided(wanted, asking.nonce));
    };
    if (change.put_back) priorities_.put_back(*change.put_back);
    if (!change.raise) return answer(decision);
    priorities_.raise(*change.raise, [this, &partition, decision, answer,
                                      job = *change.raise](const rms::RaiseAnswer& raised) {
        auto told = decision;
        std::visit(core::Overloaded{
                       [&](const rms::Raised&) {
                           partition.raised.raised(job, seconds());
                           told.why += "; its priority is raised";
                       },
                       [](const rms::IsFirst&) {},
                       [&told](const rms::NotRaised& stays) {
                           if (!stays.why.empty()) told.why += "; its priority stays: " + stays.why;
                       },
                   },
                   raised);
        answer(told);
    });
}

// A job grows onto idle hosts that no waiting job can use. But Slurm puts the sidecars of a user
// who may not raise them behind the waiting jobs.
void SiteServer::raise_sidecars(const rms::SlurmSiteSeen& seen) {
    std::erase_if(growing_, [&](const auto& one) {
        const auto& [job, partition] = one;
        const auto has = seen.partitions.find(partition);
        return has == seen.partitions.end() || !partitions_.at(partition).policy.is_growing(
                                                   job, view_of(seen, partition), seconds());
    });
    std::set<policy::WaitingJobId> wait;
    for (const auto& one : seen.jobs) {
        if (!one.is_waiting || !one.sidecar_of) continue;
        wait.insert(id_of(one.job));
        if (!growing_.contains(policy::SiteJobId{one.sidecar_of->value})) continue;
        if (!raised_sidecars_.insert(id_of(one.job)).second) continue;
        priorities_.raise(id_of(one.job), [](const rms::RaiseAnswer&) {});
    }
    std::erase_if(raised_sidecars_, [&](policy::WaitingJobId sidecar) {
        if (wait.contains(sidecar)) return false;
        priorities_.put_back(sidecar);  // it has started or ended
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
