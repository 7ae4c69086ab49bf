// The requests of the `ductile` program to a job, and the answers.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/named.hpp"
#include "core/size_range.hpp"
#include "plan/methods.hpp"
#include "wire/group_fields.hpp"

namespace ductile::wire {

enum class SizeUnit { ranks, hosts };
/// `standard`: the job's own setting.
enum class MethodWish { standard, merge, baseline, automatic };
enum class StartWish { standard, collective, single, hypercube, diffusive, launch };
enum class JoinWish { standard, point, background };
enum class MemoryWish { standard, keep, tight };
enum class OverlapWish { standard, blocking, background };
enum class ShrinkWish { standard, ts, park };

/// The name of an executor, or "standard".
class ExecutorFields {
  public:
    explicit ExecutorFields(std::optional<plan::Executor> wish) {
        if (wish) place_ = static_cast<Place>(static_cast<std::size_t>(*wish) + 1);
    }
    [[nodiscard]] std::optional<plan::Executor> wish() const {
        if (place_ == Place::standard) return std::nullopt;
        return plan::executor_choices.at(static_cast<std::size_t>(place_) - 1);
    }
    template <class V>
    void visit(V& v, const char* key) {
        v.choice(key, place_, core::words_of(plan::executor_choices, {"standard"}));
    }

  private:
    enum class Place : std::size_t { standard };  ///< executor_choices follow, in their order
    Place place_ = Place::standard;
};

/// Both are 0 if no size is requested.
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
    /// Not set with `release` (all other ranks stay) and with `renew` (the size stays the same).
    std::optional<core::SizeRange> size;
    SizeUnit unit = SizeUnit::ranks;
    /// Hosts to give back, each as the user names it (core::read_host_share()). If a number is
    /// given, only that many ranks of the host end, and the slots of these ranks count as taken.
    std::vector<std::string> release;
    /// Hosts on which slots count as taken after a `release`: these slots may be used again.
    std::vector<std::string> reclaim;
    bool wait = false;
    bool dry_run = false;
    bool replace = false;  ///< replace a pending resize; false: wait for it
    bool renew = false;    ///< new processes at the same size
    MethodWish method = MethodWish::standard;
    StartWish start = StartWish::standard;
    OverlapWish overlap = OverlapWish::standard;
    JoinWish join = JoinWish::standard;
    std::optional<plan::Executor> redistribution;  ///< empty: the standard
    MemoryWish memory = MemoryWish::standard;
    ShrinkWish shrink = ShrinkWish::standard;
    double switch_within_s = 0;  ///< 0: no limit
    bool operator==(const ResizeRequest&) const = default;
    template <class V>
    void visit(V& v) {
        SizeFields sizes(size);
        v.object("size", sizes), v.choice("unit", unit, {"ranks", "hosts"});
        size = sizes.range();
        v.texts("release", release, limits::groups, limits::host_share_bytes);
        v.texts("reclaim", reclaim, limits::groups, limits::host_share_bytes);
        v.flag("wait", wait);
        v.flag("dry_run", dry_run), v.flag("replace", replace),
            v.seconds("switch_within_s", switch_within_s);
        v.flag("renew", renew),
            v.choice("method", method, {"standard", "merge", "baseline", "auto"});
        v.choice("start", start,
                 {"standard", "collective", "single", "hypercube", "diffusive", "launch"});
        v.choice("overlap", overlap, {"standard", "blocking", "background"});
        v.choice("join", join, {"standard", "point", "background"});
        ExecutorFields executor(redistribution);
        executor.visit(v, "redistribution");
        redistribution = executor.wish();
        v.choice("memory", memory, {"standard", "keep", "tight"});
        v.choice("shrink", shrink, {"standard", "ts", "park"});
    }
};
/// A command that waited for a resize has lost the broker, and asks the broker that has taken the
/// job over. The answer comes when that resize and all resizes that follow from it have ended.
struct AwaitRequest {
    static constexpr std::string_view name = "await";
    TransactionId transaction;  ///< the number in the first answer
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

/// A request gets one reply, or two with `wait`.
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
