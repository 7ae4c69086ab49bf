#include "wire/psk.hpp"

#include <openssl/crypto.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>

#include <charconv>
#include <cstring>

#include "ductile/error.hpp"

namespace ductile::wire {

namespace {

constexpr std::size_t max_identity_bytes = 200;
constexpr const char* suite_name = "TLS_AES_256_GCM_SHA384";
constexpr unsigned char suite_id[] = {0x13, 0x02};

// Ductile has its own indices, because Asio keeps its callbacks in the "app data" of contexts and
// connections.
int context_index() {
    static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}
int connection_index() {
    static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
    return index;
}

void require(bool ok, const char* what) {
    if (!ok) throw SystemError(std::string("cannot set up TLS: ") + what);
}

// Makes a TLS 1.3 session from the secret. The caller (OpenSSL) owns it.
SSL_SESSION* session_of(SSL* ssl, const Secret& secret) {
    const SSL_CIPHER* suite = SSL_CIPHER_find(ssl, suite_id);
    SSL_SESSION* session = SSL_SESSION_new();
    if (suite == nullptr || session == nullptr ||
        SSL_SESSION_set1_master_key(session, secret.data(), secret.size()) != 1 ||
        SSL_SESSION_set_cipher(session, suite) != 1 ||
        SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) != 1) {
        SSL_SESSION_free(session);
        return nullptr;
    }
    return session;
}

// If the identity is unknown, *session stays null. OpenSSL then tries a certificate, has none, and
// refuses. A wrong secret gets the same answer at the same cost.
int find_session(SSL* ssl, const unsigned char* text, std::size_t length, SSL_SESSION** session) {
    *session = nullptr;
    try {
        const auto* find = static_cast<const FindSecret*>(
            SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), context_index()));
        auto* accepted = static_cast<psk::Accepted*>(SSL_get_ex_data(ssl, connection_index()));
        if (find == nullptr || accepted == nullptr) return 1;
        const auto identity = parse_identity({reinterpret_cast<const char*>(text), length});
        if (!identity) return 1;
        const auto admission = (*find)(*identity);
        if (!admission) return 1;
        *session = session_of(ssl, admission->secret);
        accepted->identity = identity;
        accepted->refusal = admission->refusal;
        return *session == nullptr ? 0 : 1;
    } catch (...) {
        return 0;
    }
}

int use_session(SSL* ssl, const EVP_MD* digest, const unsigned char** identity, std::size_t* length,
                SSL_SESSION** session) {
    *session = nullptr;
    const auto* client =
        static_cast<const psk::Client*>(SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), context_index()));
    if (client == nullptr) return 0;
    SSL_SESSION* made = session_of(ssl, client->secret);
    if (made == nullptr) return 0;
    // After a retry request OpenSSL passes the digest of the chosen suite. The session must have
    // this digest.
    if (digest != nullptr &&
        SSL_CIPHER_get_handshake_digest(SSL_SESSION_get0_cipher(made)) != digest) {
        SSL_SESSION_free(made);
        return 0;
    }
    *identity = reinterpret_cast<const unsigned char*>(client->identity.data());
    *length = client->identity.size();
    *session = made;
    return 1;
}

void make_common(SSL_CTX* context) {
    require(SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) == 1, "TLS 1.3 is missing");
    require(SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) == 1, "TLS 1.3 is missing");
    require(SSL_CTX_set_ciphersuites(context, suite_name) == 1, suite_name);
    SSL_CTX_set_options(context, SSL_OP_NO_TICKET | SSL_OP_NO_RENEGOTIATION);
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    require(SSL_CTX_set_num_tickets(context, 0) == 1, "tickets cannot be turned off");
    require(SSL_CTX_set_max_early_data(context, 0) == 1, "early data cannot be turned off");
}

std::optional<int> parse_count(std::string_view text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
    return value;
}

}  // namespace

Secret make_secret() {
    Secret secret{};
    if (RAND_priv_bytes(secret.data(), static_cast<int>(secret.size())) != 1)
        throw SystemError("cannot make a secret: the system's random source fails");
    return secret;
}

std::string to_hex(const Secret& secret) {
    static constexpr char digits[] = "0123456789abcdef";
    std::string text;
    for (const unsigned char byte : secret) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
    }
    return text;
}

Secret secret_from_hex(std::string_view hex) {
    Secret secret{};
    const auto digit = [](char c) {
        if (c >= '0' && c <= '9') return c - '0';
        if (c >= 'a' && c <= 'f') return c - 'a' + 10;
        if (c >= 'A' && c <= 'F') return c - 'A' + 10;
        return -1;
    };
    bool good = hex.size() == 2 * secret.size();
    for (std::size_t i = 0; good && i < secret.size(); ++i) {
        const int high = digit(hex[2 * i]), low = digit(hex[2 * i + 1]);
        good = high >= 0 && low >= 0;
        secret[i] = static_cast<unsigned char>(((high & 15) << 4) | (low & 15));
    }
    if (!good) throw InputError("secret refused: it is not 64 hexadecimal digits");
    return secret;
}

std::string to_text(const Identity& identity) {
    return identity.job + "/" + std::to_string(identity.host.value) + "/" +
           std::to_string(identity.generation.value) + (identity.stream ? "/stream" : "");
}

std::optional<Identity> parse_identity(std::string_view text) {
    if (text.size() > max_identity_bytes) return std::nullopt;
    std::array<std::string_view, 4> parts;
    std::size_t count = 0;
    for (;;) {
        if (count == parts.size()) return std::nullopt;
        const auto slash = text.find('/');
        parts[count++] = text.substr(0, slash);
        if (slash == std::string_view::npos) break;
        text.remove_prefix(slash + 1);
    }
    if (count < 3 || parts[0].empty() || (count == 4 && parts[3] != "stream")) return std::nullopt;
    const auto host = parse_count(parts[1]), generation = parse_count(parts[2]);
    if (!host || !generation) return std::nullopt;
    return Identity{std::string(parts[0]), core::HostIndex{*host}, core::Generation{*generation},
                    count == 4};
}

namespace psk {

void make_server(ssl_ctx_st* context, const FindSecret* find) {
    make_common(context);
    require(SSL_CTX_set_ex_data(context, context_index(), const_cast<FindSecret*>(find)) == 1,
            "out of memory");
    SSL_CTX_set_verify(context, SSL_VERIFY_NONE, nullptr);
    SSL_CTX_set_psk_find_session_callback(context, find_session);
}

void attach(ssl_st* ssl, Accepted* accepted) {
    require(SSL_set_ex_data(ssl, connection_index(), accepted) == 1, "out of memory");
}

void make_client(ssl_ctx_st* context, const Client* client) {
    make_common(context);
    require(SSL_CTX_set_ex_data(context, context_index(), const_cast<Client*>(client)) == 1,
            "out of memory");
    // The store of trusted certificates is empty, so a server that presents a certificate is
    // refused.
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    SSL_CTX_set_psk_use_session_callback(context, use_session);
}

bool used(const ssl_st* ssl) {
    return SSL_session_reused(ssl) == 1 && SSL_version(ssl) == TLS1_3_VERSION;
}

}  // namespace psk

}  // namespace ductile::wire
