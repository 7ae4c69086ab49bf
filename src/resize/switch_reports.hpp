// What the sources of a resize report after its last vote. Pure.
#pragma once

#include <algorithm>
#include <set>
#include <utility>

#include "core/contract.hpp"
#include "resize/event.hpp"

namespace ductile::resize {

class SwitchReports {
  public:
    /// Returns true for the first report that says that the resize is committed. Precondition: this
    /// process has not reported yet.
    bool add(const SwitchDone& done) {
        DUCTILE_EXPECT(!heard_.contains(done.process));
        const bool first = done.report.committed && !sum_.committed;
        heard_.insert(done.process);
        const auto& one = done.report;
        sum_.committed = sum_.committed || one.committed;
        sum_.degraded = sum_.degraded || one.degraded;
        sum_.unfinished = sum_.unfinished || one.unfinished;
        if (!one.committed && sum_.why.empty()) sum_.why = one.why;
        for (std::size_t i = 0; i < one.times_s.size(); ++i)
            sum_.times_s[i] = std::max(sum_.times_s[i], one.times_s[i]);
        sum_.redistribution = one.redistribution;  // the same on all
        for (const auto of : {SwitchBytes::sent, SwitchBytes::sent_ahead})
            sum_.bytes(of) += one.bytes(of);
        sum_.bytes(SwitchBytes::peak) =
            std::max(sum_.bytes(SwitchBytes::peak), one.bytes(SwitchBytes::peak));
        return first;
    }
    /// Rank 0 announces the commit before it reports. Returns true for the first announcement.
    bool commit() { return !std::exchange(sum_.committed, true); }
    [[nodiscard]] bool has(const core::Process& process) const { return heard_.contains(process); }
    [[nodiscard]] int heard() const { return static_cast<int>(heard_.size()); }
    /// All reports together: flags that any report sets, maxima of times and of peak memory, sums
    /// of bytes sent, and the first reason against the commit.
    [[nodiscard]] const SwitchReport& sum() const { return sum_; }

    bool operator==(const SwitchReports&) const = default;
    template <class V>
    void fields(V& v) {
        v("heard", heard_), v("sum", sum_);
    }

  private:
    std::set<core::Process> heard_;
    SwitchReport sum_;
};

}  // namespace ductile::resize
