// A resource manager for tests. The test tells it what to do: it grants late, in part, twice, after
// a cancel, or never, and takes hosts back. It keeps account of every host.
#pragma once

#include <rapidcheck.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "broker/host_table.hpp"

namespace ductile::broker {

class ScriptedResourceManager {
  public:
    /// h0, h1, ...: those below `held` are the job's from the start.
    ScriptedResourceManager(int hosts, int held) {
        for (int i = 0; i < hosts; ++i) {
            const core::Host host{"h" + std::to_string(i), 1 + i % 3};
            slots_[host.name] = host.slots;
            (i < held ? held_ : free_).insert(host.name);
            if (i < held) at_first_.hosts.push_back(host);
        }
    }
    [[nodiscard]] const core::Allocation& at_first() const { return at_first_; }

    // --- what the job says

    void hear(const AskHosts& ask) {
        if (ended_)
            mail_.push_back(rms::Denied{ask.id, "ended"});
        else if (told_.insert(ask.id).second)
            open_[ask.id] = {ask.request.hosts, false, {}};
    }
    void hear(const CancelRequest& cancel) {
        const auto it = open_.find(cancel.id);
        if (it == open_.end())
            mail_.push_back(rms::Denied{cancel.id, "cancelled"});
        else
            it->second.cancelled = true;
    }
    /// Only what the job has can be given back, and only once, unless it was granted twice.
    void hear(const ReleaseHost& release) {
        const auto had = held_.erase(release.name) + gone_.erase(release.name);
        RC_ASSERT(had == 1U || repeated_.contains(release.name));
        revoked_.erase(release.name);
        free_.insert(release.name);
    }
    template <class Other>
    void hear(const Other&) {}

    // --- what it does. `which` chooses among what can be done.

    void grant(int which, int count, bool last) {
        auto* request = choose(open_, which);
        if (request == nullptr) return;
        rms::Granted granted{request->first, {}, last};
        auto& open = request->second;
        for (const auto& name : std::set(free_)) {
            if (static_cast<int>(granted.hosts.size()) == std::min(count, open.owed)) break;
            if (is_in_mail(name) || (!open.cancelled && open.granted.contains(name))) continue;
            open.granted.insert(name);
            granted.hosts.push_back(hand_out(name));
        }
        open.owed -= static_cast<int>(granted.hosts.size());
        say(granted);
        if (last) close(request->first);
    }
    void deny(int which) {
        const auto* request = choose(open_, which);
        if (request == nullptr) return;
        say(rms::Denied{request->first, "no"});
        close(request->first);
    }
    /// Grants a host for a request that has had its last answer. The host was never granted before.
    void grant_closed(int which) {
        if (closed_.empty() || free_.empty()) return;
        const auto name = *free_.begin();
        if (ever_granted_.contains(name) || is_in_mail(name)) return;
        const auto id = closed_[static_cast<std::size_t>(which) % closed_.size()];
        say(rms::Granted{id, {hand_out(name)}, true});
    }
    void repeat(int which) {
        if (said_.empty()) return;
        const auto& again = said_[static_cast<std::size_t>(which) % said_.size()];
        mail_.push_back(again);
        if (const auto* granted = std::get_if<rms::Granted>(&again))
            for (const auto& host : granted->hosts) repeated_.insert(host.name);
    }
    void revoke(int which, WallTime deadline) {
        if (held_.empty()) return;
        const auto name =
            *std::next(held_.begin(), which % static_cast<std::ptrdiff_t>(held_.size()));
        revoked_[name] = deadline;
        mail_.push_back(HostRevoked{name, deadline});
        for (auto& [id, open] : open_) open.granted.erase(name);
        // A repeated answer with this host would now be a new grant.
        std::erase_if(said_, [&name](const HostEvent& event) { return grants(event, name); });
    }
    void revoke_unknown(WallTime deadline) { mail_.push_back(HostRevoked{"unknown", deadline}); }
    /// Takes the hosts that the job has not left by their deadline. Such a host is granted again
    /// only after the job has released it.
    void time_is(WallTime now) {
        for (const auto& [name, deadline] : revoked_)
            if (deadline <= now && held_.erase(name) > 0) gone_.insert(name);
    }
    std::optional<HostEvent> next_mail() {
        if (mail_.empty()) return std::nullopt;
        auto event = mail_.front();
        mail_.pop_front();
        return event;
    }

    /// It ends and is started again, without its requests. Grants in the mail still arrive. The job
    /// hears of one such end before the next one, because an event loop reports them in order.
    void forget() {
        const auto forgot = [](const HostEvent& event) {
            return std::holds_alternative<rms::Forgotten>(event);
        };
        if (ended_ || std::ranges::any_of(mail_, forgot)) return;
        open_.clear(), closed_.clear(), said_.clear(), told_.clear();
        mail_.push_back(rms::Forgotten{});
    }
    /// The resource manager ends for good.
    void end() {
        ended_ = true;
        mail_.push_back(rms::Gone{"ended"});
        while (!open_.empty()) deny(0);
        closed_.clear(), said_.clear();
    }

    /// Another broker takes over, and says what the job holds. What was on its way is lost.
    void begin_anew(const std::set<std::string>& held) {
        mail_.clear(), said_.clear(), open_.clear(), closed_.clear(), told_.clear();
        for (auto* names : {&held_, &gone_})
            for (const auto& name : std::set(*names))
                if (!held.contains(name)) names->erase(name), free_.insert(name);
        std::erase_if(revoked_, [&](const auto& entry) { return !held.contains(entry.first); });
        for (const auto& [name, deadline] : revoked_) mail_.push_back(HostRevoked{name, deadline});
    }

    void answer_all() {
        while (!open_.empty()) deny(0);
    }
    [[nodiscard]] bool is_the_jobs(const std::string& name) const {
        return held_.contains(name) || gone_.contains(name);
    }
    [[nodiscard]] std::size_t given_out() const { return held_.size() + gone_.size(); }

  private:
    struct Open {
        int owed = 0;
        bool cancelled = false;
        std::set<std::string> granted;
    };

    template <class Map>
    static typename Map::value_type* choose(Map& map, int which) {
        if (map.empty()) return nullptr;
        return &*std::next(map.begin(), which % static_cast<std::ptrdiff_t>(map.size()));
    }
    core::Host hand_out(const std::string& name) {
        free_.erase(name), held_.insert(name), ever_granted_.insert(name);
        return {name, slots_.at(name)};
    }
    /// Whether a grant of this host is in the mail. Until it has arrived, the job could not
    /// distinguish it from a new grant.
    [[nodiscard]] bool is_in_mail(const std::string& name) const {
        return std::ranges::any_of(mail_,
                                   [&name](const HostEvent& event) { return grants(event, name); });
    }
    static bool grants(const HostEvent& event, const std::string& name) {
        const auto* granted = std::get_if<rms::Granted>(&event);
        return granted != nullptr &&
               std::ranges::find(granted->hosts, name, &core::Host::name) != granted->hosts.end();
    }
    void say(const HostEvent& event) {
        mail_.push_back(event);
        said_.push_back(event);
    }
    /// A request that is closed by its last grant may be cancelled meanwhile: that is answered too.
    void close(rms::RequestId id) {
        if (open_.at(id).cancelled) mail_.push_back(rms::Denied{id, "cancelled"});
        open_.erase(id);
        closed_.push_back(id);
    }

    core::Allocation at_first_;
    std::map<std::string, int> slots_;
    std::set<std::string> free_, held_, ever_granted_, repeated_;
    std::set<std::string> gone_;  ///< taken back at the deadline, not yet released
    std::map<std::string, WallTime> revoked_;
    std::map<rms::RequestId, Open> open_;
    std::vector<rms::RequestId> closed_;
    std::set<rms::RequestId> told_;  ///< requests since its last start
    bool ended_ = false;
    std::deque<HostEvent> mail_;
    std::vector<HostEvent> said_;
};

}  // namespace ductile::broker
