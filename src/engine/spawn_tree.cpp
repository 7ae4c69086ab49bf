#include "engine/spawn_tree.hpp"

#include <memory>

namespace ductile::engine {

namespace {

constexpr int first_tag = 0x2000;
constexpr int tags = 0x1000;  // the largest tag is below 0x7fff, which every MPI supports
constexpr std::int64_t longest_text = 64 << 20;

int length_tag(const TreeExchange& exchange) {
    return first_tag + 2 * (exchange.of.value % tags);
}
int text_tag(const TreeExchange& exchange) {
    return length_tag(exchange) + 1;
}

/// Lends a buffer to `use`. The buffer stays for ever if its use was given up.
template <class Buffer, class Use>
bool lend(std::unique_ptr<Buffer> buffer, Use use) {
    if (use(*buffer)) return true;
    [[maybe_unused]] const auto* kept = buffer.release();
    return false;
}

std::optional<std::string> receive_text(const mpi::Comm& comm, int from,
                                        const TreeExchange& exchange) {
    std::int64_t length = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    const bool heard = lend(std::make_unique<std::int64_t>(), [&](std::int64_t& buffer) {
        mpi::check(
            MPI_Irecv(&buffer, 1, MPI_INT64_T, from, length_tag(exchange), comm.get(), &request),
            "MPI_Irecv");
        if (!exchange.wait(request)) return false;
        length = buffer;
        return true;
    });
    if (!heard) return std::nullopt;
    if (length < 0 || length > longest_text)
        throw SystemError("a table of ports has " + std::to_string(length) + " bytes");
    std::optional<std::string> text;
    lend(std::make_unique<std::string>(static_cast<std::size_t>(length), '\0'),
         [&](std::string& buffer) {
             mpi::check(MPI_Irecv(buffer.data(), static_cast<int>(length), MPI_BYTE, from,
                                  text_tag(exchange), comm.get(), &request),
                        "MPI_Irecv");
             if (!exchange.wait(request)) return false;
             text = buffer;
             return true;
         });
    return text;
}

bool send_text(const mpi::Comm& comm, int to, const std::string& text,
               const TreeExchange& exchange) {
    struct Message {
        std::int64_t length;
        std::string text;
    };
    auto message = std::make_unique<Message>(Message{static_cast<std::int64_t>(text.size()), text});
    return lend(std::move(message), [&](Message& one) {
        MPI_Request length = MPI_REQUEST_NULL;
        MPI_Request rest = MPI_REQUEST_NULL;
        mpi::check(
            MPI_Isend(&one.length, 1, MPI_INT64_T, to, length_tag(exchange), comm.get(), &length),
            "MPI_Isend");
        mpi::check(MPI_Isend(one.text.data(), static_cast<int>(one.length), MPI_BYTE, to,
                             text_tag(exchange), comm.get(), &rest),
                   "MPI_Isend");
        return exchange.wait(length) && exchange.wait(rest);
    });
}

// Returns, on the group's first rank, the texts of all its ranks.
std::string gather(const mpi::Comm& group, const std::string& mine, const TreeExchange& exchange) {
    const auto ranks = static_cast<std::size_t>(group.size());
    const int length = static_cast<int>(mine.size());
    std::vector<int> lengths(ranks), begins(ranks);
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(
        MPI_Igather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, group.get(), &request),
        "MPI_Igather");
    exchange.wait(request);
    int total = 0;
    for (std::size_t i = 0; i < ranks; ++i) {
        begins[i] = total;
        total += lengths[i];
    }
    std::string all(group.rank() == 0 ? static_cast<std::size_t>(total) : 0, '\0');
    mpi::check(MPI_Igatherv(mine.data(), length, MPI_BYTE, all.data(), lengths.data(),
                            begins.data(), MPI_BYTE, 0, group.get(), &request),
               "MPI_Igatherv");
    exchange.wait(request);
    return all;
}

std::string broadcast(const mpi::Comm& group, std::string text, const TreeExchange& exchange) {
    auto length = static_cast<std::int64_t>(text.size());
    MPI_Request request = MPI_REQUEST_NULL;
    mpi::check(MPI_Ibcast(&length, 1, MPI_INT64_T, 0, group.get(), &request), "MPI_Ibcast");
    exchange.wait(request);
    text.resize(static_cast<std::size_t>(length));
    mpi::check(
        MPI_Ibcast(text.data(), static_cast<int>(length), MPI_BYTE, 0, group.get(), &request),
        "MPI_Ibcast");
    exchange.wait(request);
    return text;
}

}  // namespace

std::optional<plan::PortTable> hear_children(const std::vector<mpi::SharedComm>& children,
                                             const TreeExchange& exchange) {
    plan::PortTable all;
    for (const auto& child : children) {
        const auto text = receive_text(*child, 0, exchange);
        if (!text) return std::nullopt;
        all.add(plan::PortTable::of_text(*text));
    }
    return all;
}

bool tell_children(const std::vector<mpi::SharedComm>& children, const plan::PortTable& ports,
                   const TreeExchange& exchange) {
    const auto text = ports.to_text();
    for (const auto& child : children)
        if (!send_text(*child, 0, text, exchange)) return false;
    return true;
}

plan::PortTable share_with_parents(const mpi::Comm& group, const mpi::Comm& parents,
                                   const plan::PortTable& mine, const TreeExchange& exchange) {
    auto text = mine.to_text();
    if (group.size() > 1) text = gather(group, text, exchange);
    if (group.rank() == 0) {
        send_text(parents, 0, text, exchange);
        text = receive_text(parents, 0, exchange).value();
    }
    if (group.size() > 1) text = broadcast(group, std::move(text), exchange);
    return plan::PortTable::of_text(text);
}

std::optional<plan::PortTable> share_among_sources(const mpi::Comm& sources,
                                                   const std::vector<core::Rank>& peers,
                                                   const plan::PortTable& mine,
                                                   const TreeExchange& exchange) {
    const int first = peers.front().value;
    if (sources.rank() != first) {
        if (!send_text(sources, first, mine.to_text(), exchange)) return std::nullopt;
        const auto text = receive_text(sources, first, exchange);
        if (!text) return std::nullopt;
        return plan::PortTable::of_text(*text);
    }
    auto all = mine;
    for (const auto peer : peers) {
        if (peer.value == first) continue;
        const auto text = receive_text(sources, peer.value, exchange);
        if (!text) return std::nullopt;
        all.add(plan::PortTable::of_text(*text));
    }
    const auto text = all.to_text();
    for (const auto peer : peers)
        if (peer.value != first && !send_text(sources, peer.value, text, exchange))
            return std::nullopt;
    return all;
}

}  // namespace ductile::engine
