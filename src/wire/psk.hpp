// Who may connect: the job's secret is an external pre-shared key of TLS 1.3, and an identity goes
// with it. There are no certificates, no tickets and no early data. The mode psk_dhe_ke gives
// forward secrecy.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/ids.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace ductile::wire {

/// The 32 bytes that a job's broker and agents share.
using Secret = std::array<unsigned char, 32>;

/// A new secret from the system's random source. Throws SystemError when there is none.
Secret make_secret();
/// 64 hexadecimal digits. `secret_from_hex` throws InputError for any other text, and the error
/// never repeats that text.
std::string to_hex(const Secret& secret);
Secret secret_from_hex(std::string_view hex);

/// The identity that an agent claims. As text: "job/host/generation". "/stream" follows for the
/// connection that carries standard streams.
struct Identity {
    std::string job;
    core::HostIndex host;
    core::Generation generation;
    bool stream = false;
    bool operator==(const Identity&) const = default;
};

std::string to_text(const Identity& identity);
/// Nothing when the text is not an identity (too long, a field missing or not a number).
std::optional<Identity> parse_identity(std::string_view text);

/// What a server knows about an identity. If there is a `refusal`, the server accepts the
/// connection only to send EndJob{refusal} over it. The connection is authenticated, so the agent
/// can trust the refusal: an unauthenticated process at an old port cannot send it.
struct Admission {
    Secret secret;
    std::string refusal;
};
/// Returns nothing if the identity is unknown. Then the handshake fails.
using FindSecret = std::function<std::optional<Admission>(const Identity&)>;

namespace psk {

/// What the server learns from a handshake. It lives as long as the SSL that it is attached to.
struct Accepted {
    std::optional<Identity> identity;
    std::string refusal;
};

/// Makes `context` a server that accepts only what `find` accepts. `find` must live as long as
/// `context`.
void make_server(ssl_ctx_st* context, const FindSecret* find);
void attach(ssl_st* ssl, Accepted* accepted);

struct Client {
    std::string identity;
    Secret secret;
};
/// Makes `context` a client that offers only `client`. `client` must live as long as `context`.
void make_client(ssl_ctx_st* context, const Client* client);

/// True when the pre-shared key authenticated this connection, under TLS 1.3.
bool used(const ssl_st* ssl);

}  // namespace psk

}  // namespace ductile::wire
