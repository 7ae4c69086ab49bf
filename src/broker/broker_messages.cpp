// What the broker says to ranks and agents, and hears from them.
#include "broker/broker.hpp"

namespace ductile::broker {

using namespace std::chrono_literals;

void Broker::send_to(const std::vector<core::RankRange>& ranks, const wire::ToRank& message) {
    std::map<HostIndex, std::vector<wire::RangeFields>> by_host;
    for (const auto& range : ranks) by_host[range.host].push_back(wire::RangeFields{range});
    for (auto& [host, ranges] : by_host)
        agents_.send(host, wire::ToRanks{std::move(ranges), message});
}

void Broker::send_to(const core::Process& process, const wire::ToRank& message) {
    if (const auto* state = groups_.find(process.group))
        send_to({{process.group, state->group.host_of(process.rank), process.rank, 1}}, message);
}

void Broker::send_to_newcomers(const wire::ToRank& message) {
    send_to(core::Layout::of(transaction_->added).active, message);
}

bool Broker::has_left(const core::Process& process) const {
    const auto it = groups_.all().find(process.group);
    return it != groups_.all().end() && it->second.role == GroupRole::member &&
           !layout_.holds(process);
}

void Broker::send_to_hosts_of(core::GroupId group, const wire::ToAgent& message) {
    const auto* state = groups_.find(group);
    if (state == nullptr) return;
    for (const auto& share : state->group.shares())
        if (state->is_on(share.host)) agents_.send(share.host, message);
}

void Broker::on_agent_message(HostIndex host, const wire::FromAgent& message) {
    if (resuming_) {
        if (const auto* stock = std::get_if<wire::Stock>(&message)) return on_stock(host, *stock);
        const auto* news = std::get_if<wire::FromRanks>(&message);
        if (news != nullptr && std::holds_alternative<wire::Standing>(news->message)) {
            resuming_->standing(news->group, news->rank, std::get<wire::Standing>(news->message));
            return settle_if_complete();
        }
        // Ranks inside of MPI_Comm_spawn, which the settling waits for, wait for this.
        if (const auto* proxy = std::get_if<wire::ProxyWanted>(&message))
            return on_proxy_wanted(host, *proxy);
        if (const auto* spawn = std::get_if<wire::SpawnAsked>(&message))
            return agents_.send(host, wire::SpawnAnswer{spawn->group, spawn->rank, false});
        hold([this, host, message] { on_agent_message(host, message); });
        if (const auto* ended = std::get_if<wire::RankEnded>(&message))
            resuming_->ended(ended->group, ended->rank);
        if (news != nullptr && std::holds_alternative<wire::Goodbye>(news->message))
            resuming_->ended(news->group, news->rank);
        return settle_if_complete();
    }
    std::visit(wire::Overloaded{
                   [&](const wire::FromRanks& m) {
                       if (groups_.find(m.group, m.rank) == nullptr)
                           return;  // of a group that is over
                       on_rank_message(m.group, m.rank, m.message);
                   },
                   [&](const wire::RankEnded& m) { on_rank_ended(m); },
                   [&](const wire::RunEnded& m) { on_run_ended(host, m); },
                   [&](const wire::Expecting& m) { on_expecting(host, m.group); },
                   [&](const wire::ProxyWanted& m) { on_proxy_wanted(host, m); },
                   [&](const wire::BarrierReached& m) { on_pmi(host, m); },
                   [&](const wire::LeftBarriers& m) { on_pmi(host, m); },
                   [&](const wire::GateReached& m) { on_pmi(host, m); },
                   [&](const wire::GateLost& m) { on_pmi(host, m); },
                   [&](const wire::NameAsked& m) { on_pmi(host, m); },
                   [&](const wire::SpawnAsked& m) { on_spawn_asked(host, m); },
                   [&](const wire::StandInEnded& m) { on_stand_in_ended(m); },
                   [&](const wire::Notice& m) { say(host_name(host) + ": " + m.text); },
                   [](const auto&) {},
               },
               message);
}

void Broker::on_rank_message(core::GroupId group, core::Rank rank, const wire::FromRank& message) {
    auto& rank_state = *groups_.find(group, rank);
    const auto of_transaction = [this](core::TransactionId id) {
        return transaction_ && transaction_->id == id;
    };
    std::visit(wire::Overloaded{
                   [&](const wire::RankHello&) {
                       rank_state.hello = true;
                       if (start_forming_)
                           advance_forming(start_forming_->hello(group));
                       else if (is_newcomer(group))
                           on_newcomer_hello({group, rank});
                   },
                   [&](const wire::Ready& m) { on_ready(group, m); },
                   [&](const wire::RoundDone& m) {
                       if (start_forming_)
                           advance_forming(start_forming_->round_done(group, m.round));
                       else if (is_newcomer(group))
                           advance_forming(transaction_->forming->round_done(group, m.round));
                   },
                   [&](const wire::Formed&) {
                       if (start_forming_)
                           begin_job();
                       else if (is_newcomer(group))
                           on_formed();
                   },
                   [&](const wire::BridgePort& m) {
                       if (!of_transaction(m.transaction)) return;
                       transaction_->port = m.port;
                       bridge_if_ready();
                   },
                   [&](const wire::Entering& m) {
                       if (!of_transaction(m.transaction) || !is_newcomer(group) ||
                           transaction_->undoing || transaction_->abandoned)
                           return;
                       transaction_->accepting = true;
                       if (const auto why = journal_step("the leaders are joined")) {
                           transaction_->accepting = false;
                           return give_up(*why);
                       }
                       transaction_->accept_within(1s);
                       send_to(leader(), wire::AcceptBridge{m.transaction});
                   },
                   [&](const wire::Bridged& m) {
                       if (of_transaction(m.transaction)) on_bridged(group, rank, m);
                   },
                   [&](const wire::Spawned& m) {
                       if (of_transaction(m.transaction)) on_spawned(group, rank, m);
                   },
                   [&](const wire::PointAnswer& m) {
                       if (of_transaction(m.transaction)) on_answer(group, rank, m);
                   },
                   [&](const wire::Arrived& m) {
                       if (of_transaction(m.transaction)) on_arrived();
                   },
                   [&](const wire::Progress& m) {
                       if (of_transaction(m.transaction))
                           transaction_->set_deadline(
                               std::chrono::duration<double>(spec_.progress_s + spec_.vote_s),
                               "the switch did not end");
                   },
                   [&](const wire::SwitchDone& m) {
                       if (of_transaction(m.transaction)) on_switch_done(group, rank, m);
                   },
                   [&](const wire::Pace& m) {
                       note_pace(m);
                       events_.record(
                           "pace",
                           {{"points", m.count}, {"clock_s", m.time_s}, {"ranks", layout_.size()}});
                   },
                   [&](const wire::CodeOptions& m) { on_code_options(m); },
                   [](const wire::Standing&) {},  // settled already
                   [](const wire::MpiRuns&) {},   // for the agent
                   [](const wire::Became&) {},    // the sources have said so
                   [](const wire::Parked&) {},    // for the agent
                   [&](const wire::Goodbye&) {
                       rank_state.goodbye = true;
                       if (groups_.find(group)->role == GroupRole::member &&
                           layout_.rank_of({group, rank}))
                           on_program_ending();
                   },
               },
               message);
}

void Broker::on_code_options(const wire::CodeOptions& options) {
    Limits code;
    code.min = {options.min, Origin::code};
    code.max = {options.max, Origin::code};
    code.preferred = {options.preferred, Origin::code};
    code.multiple = {options.multiple, Origin::code};
    code.inhibitor_points = {options.inhibitor_points, Origin::code};
    code.inhibitor_s = {options.inhibitor_s, Origin::code};
    if (const auto refused = merge_code(limits_, code)) say(*refused + "; the program's holds");
    code_options_ = options;
    journal_fact("the program has said its limits");
}

}  // namespace ductile::broker
