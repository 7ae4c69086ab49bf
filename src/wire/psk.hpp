// Who may connect: the job's secret as an external pre-shared key of TLS 1.3, and the identity that
// goes with it. No certificates, no tickets, no early data; psk_dhe_ke, so forward secret.
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

/// A fresh secret from the system's random source. Throws SystemError when there is none.
Secret make_secret();
/// 64 hexadecimal digits. `secret_from_hex` throws InputError for anything else (and never repeats
/// what it was given).
std::string to_hex(const Secret& secret);
Secret secret_from_hex(std::string_view hex);

/// Who an agent says it is. As text: "job/host/generation", with "/stream" behind it for the
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

/// What a server knows about an identity. With a `refusal` the peer is let in only to be told
/// EndJob{refusal}, over the authenticated connection: so an agent knows a real refusal from a
/// stranger at an old port.
struct Admission {
    Secret secret;
    std::string refusal;
};
/// Nothing: the identity is unknown and the handshake fails.
using FindSecret = std::function<std::optional<Admission>(const Identity&)>;

namespace psk {

/// What the server's handshake learns; lives as long as the SSL that it is attached to.
struct Accepted {
    std::optional<Identity> identity;
    std::string refusal;
};

/// Makes `context` a server that knows only `find`, which must live as long as `context`.
void make_server(ssl_ctx_st* context, const FindSecret* find);
void attach(ssl_st* ssl, Accepted* accepted);

struct Client {
    std::string identity;
    Secret secret;
};
/// Makes `context` a client that offers only `client`, which must live as long as `context`.
void make_client(ssl_ctx_st* context, const Client* client);

/// True when the pre-shared key authenticated this connection, under TLS 1.3.
bool used(const ssl_st* ssl);

}  // namespace psk

}  // namespace ductile::wire
