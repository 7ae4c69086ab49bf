#include "site/site_call.hpp"

#include <fmt/format.h>

#include <asio/buffers_iterator.hpp>
#include <asio/connect.hpp>
#include <asio/ip/tcp.hpp>
#include <asio/read_until.hpp>
#include <asio/steady_timer.hpp>
#include <asio/streambuf.hpp>
#include <asio/write.hpp>
#include <random>
#include <utility>

#include "core/overloaded.hpp"
#include "ductile/error.hpp"
#include "site/site_messages.hpp"

namespace ductile::site {

namespace {

using Tcp = asio::ip::tcp;

std::string random_nonce() {
    std::random_device random;
    return fmt::format("{:08x}{:08x}{:08x}{:08x}", random(), random(), random(), random());
}

}  // namespace

// Each step holds the exchange. After close() no step calls `on_answer`.
struct SiteCall::Exchange : std::enable_shared_from_this<Exchange> {
    Exchange(asio::io_context& io, Munge& its_munge, SiteAddress its_site, OnAnswer its_on_answer)
        : munge(its_munge),
          site(std::move(its_site)),
          on_answer(std::move(its_on_answer)),
          resolver(io),
          socket(io),
          timer(io) {}

    void start(const policy::SiteQuestion& question) {
        timer.expires_after(answers_within);
        timer.async_wait([self = shared_from_this()](const std::error_code& error) {
            if (!error) self->fail("it does not answer");
        });
        munge.seal(to_payload(Question(to_ask(question, nonce))), site.user,
                   [weak = weak_from_this()](const auto& sealed) {
                       const auto self = weak.lock();
                       if (!self || !self->on_answer) return;
                       if (const auto* failed = std::get_if<Munge::Failed>(&sealed))
                           return self->fail(failed->why);
                       self->line = std::get<std::string>(sealed) + "\n";
                       self->connect();
                   });
    }

    void connect() {
        resolver.async_resolve(
            site.host, std::to_string(site.port),
            [self = shared_from_this()](const std::error_code& error, const auto& found) {
                if (!self->goes_on(error)) return;
                asio::async_connect(self->socket, found,
                                    [self](const std::error_code& refused, const Tcp::endpoint&) {
                                        if (self->goes_on(refused)) self->exchange();
                                    });
            });
    }

    void exchange() {
        asio::async_write(socket, asio::buffer(line),
                          [self = shared_from_this()](const std::error_code& error, std::size_t) {
                              if (!self->goes_on(error)) return;
                              asio::async_read_until(
                                  self->socket, self->answer, '\n',
                                  [self](const std::error_code& cut, std::size_t size) {
                                      if (self->goes_on(cut)) self->open(size - 1);
                                  });
                          });
    }

    void open(std::size_t size) {
        const auto begin = asio::buffers_begin(answer.data());
        munge.open(std::string(begin, begin + static_cast<std::ptrdiff_t>(size)),
                   [weak = weak_from_this()](const auto& opened) {
                       const auto self = weak.lock();
                       if (!self || !self->on_answer) return;
                       if (const auto* failed = std::get_if<Munge::Failed>(&opened))
                           return self->fail(failed->why);
                       self->hear(std::get<Opened>(opened));
                   });
    }

    void hear(const Opened& opened) {
        if (opened.user != site.user)
            return fail(fmt::format("the answer is from user {}, not from user {}", opened.user,
                                    site.user));
        try {
            std::visit(core::Overloaded{
                           [this](const Decided& decided) {
                               if (decided.nonce != nonce)
                                   return fail("the answer is to another question");
                               end(to_decision(decided));
                           },
                           [this](const Refused& refused) { fail(refused.why); },
                       },
                       parse_answer(opened.payload));
        } catch (const Error& error) {
            fail(error.what());
        }
    }

    bool goes_on(const std::error_code& error) {
        if (!on_answer) return false;
        if (error) fail(error.message());
        return !error;
    }
    void fail(const std::string& why) {
        end(Failed{fmt::format("ductiled at {}:{}: {}", site.host, site.port, why)});
    }
    void end(const std::variant<policy::Decision, Failed>& result) {
        const auto self = shared_from_this();
        const auto answer_to = std::exchange(on_answer, nullptr);
        close();
        if (answer_to) answer_to(result);
    }
    void close() {
        on_answer = nullptr;
        timer.cancel();
        resolver.cancel();
        std::error_code ignored;
        socket.close(ignored);
    }

    Munge& munge;
    SiteAddress site;
    OnAnswer on_answer;
    std::string nonce = random_nonce();
    std::string line;
    asio::streambuf answer{max_credential_bytes};
    Tcp::resolver resolver;
    Tcp::socket socket;
    asio::steady_timer timer;
};

SiteCall::SiteCall(asio::io_context& io, Munge& munge, const SiteAddress& site,
                   const policy::SiteQuestion& question, OnAnswer on_answer)
    : exchange_(std::make_shared<Exchange>(io, munge, site, std::move(on_answer))) {
    exchange_->start(question);
}

SiteCall::~SiteCall() {
    exchange_->close();
}

}  // namespace ductile::site
