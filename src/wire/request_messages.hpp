// What the `ductile` program asks of a job, and the answers.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/size_range.hpp"
#include "wire/group_fields.hpp"

namespace ductile::wire {

enum class SizeUnit { ranks, hosts };
/// `standard`: as the job has it.
enum class MethodWish { standard, merge, baseline, automatic };
enum class StartWish { standard, collective, single, hypercube, diffusive, launch };
enum class JoinWish { standard, point, background };
enum class MemoryWish { standard, keep, tight };
enum class OverlapWish { standard, blocking, background };
enum class RedistributionWish { standard, p2p, alltoallv, rma_lock, rma_lockall, automatic };
enum class ShrinkWish { standard, ts, park };

/// "node02", or "node02:2".
struct HostShare {
    std::string host;
    int ranks = 0;  ///< 0: not said
    bool operator==(const HostShare&) const = default;
    template <class V>
    void visit(V& v) {
        v.text("host", host, limits::name_bytes), v.number("ranks", ranks, 0, limits::ranks);
    }
};

/// Both are 0 where no size is asked for.
struct SizeFields {
    int lower = 0, upper = 0;

    SizeFields() = default;
    explicit SizeFields(const std::optional<core::SizeRange>& size)
        : lower(size ? size->lower : 0), upper(size ? size->upper : 0) {}
    [[nodiscard]] std::optional<core::SizeRange> range() const {
        return lower == 0 ? std::nullopt : std::optional(core::SizeRange{lower, upper});
    }
    template <class V>
    void visit(V& v) {
        v.number("lower", lower, 0, limits::ranks);
        v.number("upper", upper, lower, lower == 0 ? 0 : limits::ranks);
    }
};

struct ResizeRequest {
    static constexpr std::string_view name = "resize";
    /// Nothing with `release`, which leaves what remains, and with `renew`, which keeps the size.
    std::optional<core::SizeRange> size;
    SizeUnit unit = SizeUnit::ranks;
    /// Whose ranks are given back: all, or so many with their slots, which then count as taken.
    std::vector<HostShare> release;
    std::vector<HostShare> reclaim;  ///< hosts whose slots were given back so, and are free again
    bool wait = false;
    bool dry_run = false;
    bool replace = false;  ///< take the place of a resize that is pending; otherwise wait for it
    bool renew = false;    ///< fresh processes at the same size
    MethodWish method = MethodWish::standard;
    StartWish start = StartWish::standard;
    OverlapWish overlap = OverlapWish::standard;
    JoinWish join = JoinWish::standard;
    RedistributionWish redistribution = RedistributionWish::standard;
    MemoryWish memory = MemoryWish::standard;
    ShrinkWish shrink = ShrinkWish::standard;
    double switch_within_s = 0;  ///< 0: no limit
    bool operator==(const ResizeRequest&) const = default;
    template <class V>
    void visit(V& v) {
        SizeFields sizes(size);
        v.object("size", sizes), v.choice("unit", unit, {"ranks", "hosts"});
        size = sizes.range();
        v.list("release", release, limits::groups), v.list("reclaim", reclaim, limits::groups);
        v.flag("wait", wait);
        v.flag("dry_run", dry_run), v.flag("replace", replace),
            v.seconds("switch_within_s", switch_within_s);
        v.flag("renew", renew),
            v.choice("method", method, {"standard", "merge", "baseline", "auto"});
        v.choice("start", start,
                 {"standard", "collective", "single", "hypercube", "diffusive", "launch"});
        v.choice("overlap", overlap, {"standard", "blocking", "background"});
        v.choice("join", join, {"standard", "point", "background"});
        v.choice("redistribution", redistribution,
                 {"standard", "p2p", "alltoallv", "rma-lock", "rma-lockall", "auto"});
        v.choice("memory", memory, {"standard", "keep", "tight"});
        v.choice("shrink", shrink, {"standard", "ts", "park"});
    }
};
/// Whoever waited for a resize has lost the broker, and asks the one that has taken the job over.
/// Answered when that resize, with all that was to follow it, is over.
struct AwaitRequest {
    static constexpr std::string_view name = "await";
    TransactionId transaction;  ///< as the first answer said
    template <class V>
    void visit(V& v) {
        v.id("transaction", transaction);
    }
};
struct StatusRequest {
    static constexpr std::string_view name = "status";
    template <class V>
    void visit(V&) {}
};
struct CancelRequest {
    static constexpr std::string_view name = "cancel";
    template <class V>
    void visit(V&) {}
};
/// End the job.
struct EndRequest {
    static constexpr std::string_view name = "end";
    template <class V>
    void visit(V&) {}
};
using Request = std::variant<ResizeRequest, AwaitRequest, StatusRequest, CancelRequest, EndRequest>;

enum class ReplyKind { refused, accepted, done, rolled_back, failed };
template <class V>
void visit_kind(V& v, ReplyKind& kind) {
    v.choice("kind", kind, {"refused", "accepted", "done", "rolled_back", "failed"});
}

/// One or, with `wait`, two of these follow a request.
struct Reply {
    static constexpr std::string_view name = "reply";
    ReplyKind kind = ReplyKind::refused;
    std::string text;  ///< for a person
    std::string data;  ///< for a program: JSON
    template <class V>
    void visit(V& v) {
        visit_kind(v, kind);
        v.text("text", text, limits::frame_bytes), v.text("data", data, limits::frame_bytes);
    }
};
using Answer = std::variant<Reply>;

}  // namespace ductile::wire
