// The fields of plain data of the lower floors. A visitor writes, reads or checks the fields. Types
// of src/resize have a member `fields` of the same form.
#pragma once

#include "core/layout.hpp"
#include "plan/connect_rounds.hpp"
#include "plan/cost_model.hpp"
#include "plan/methods.hpp"
#include "plan/spawn_schedule.hpp"

namespace ductile::resize {

template <class V>
void fields_of(V& v, core::Process& one) {
    v("group", one.group), v("rank", one.rank);
}
template <class V>
void fields_of(V& v, core::Share& one) {
    v("host", one.host), v("ranks", one.ranks);
}
template <class V>
void fields_of(V& v, core::RankRange& one) {
    v("group", one.group), v("host", one.host), v("first", one.first), v("ranks", one.ranks);
}
template <class V>
void fields_of(V& v, core::Group& one) {
    v("id", one.id), v("host", one.host), v("ranks", one.ranks), v("elsewhere", one.elsewhere);
}
template <class V>
void fields_of(V& v, core::Layout& one) {
    v("active", one.active), v("parked", one.parked), v("slots", one.slots);
}
template <class V>
void fields_of(V& v, plan::Strategy& one) {
    v("method", one.method), v("start", one.start), v("overlap", one.overlap);
    v("redistribution", one.redistribution), v("joining", one.joining);
    v("memory", one.memory), v("rank_order", one.rank_order);
}
template <class V>
void fields_of(V& v, plan::Spawn& one) {
    v("step", one.step), v("starter", one.starter), v("rank", one.rank), v("starts", one.starts);
}
template <class V>
void fields_of(V& v, plan::ResizeShape& one) {
    v("sources", one.sources), v("targets", one.targets), v("started", one.started);
    v("groups", one.groups), v("steps", one.steps);
    v("spawn_stops_program", one.spawn_stops_program);
}
template <class V>
void fields_of(V& v, plan::Cost& one) {
    v("spawn_s", one.spawn_s), v("connect_s", one.connect_s), v("switch_s", one.switch_s);
    v("total_s", one.total_s), v("lost_s", one.lost_s);
}
template <class V>
void fields_of(V& v, plan::Connection& one) {
    v("round", one.round), v("acceptor", one.acceptor), v("connector", one.connector);
}

}  // namespace ductile::resize
