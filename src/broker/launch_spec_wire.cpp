#include "broker/launch_spec_wire.hpp"

namespace ductile::broker {

namespace {

// Both types have the same names of fields.
template <class To, class From>
To copied(const From& from) {
    To to;
    to.environment = from.environment;
    to.shared_cores_environment = from.shared_cores_environment;
    to.directory = from.directory;
    to.umask = from.umask;
    to.resource_limits = from.resource_limits;
    to.launcher = from.launcher;
    to.launcher_here = from.launcher_here;
    to.launcher_further = from.launcher_further;
    to.folder_variables = from.folder_variables;
    to.serves_pmi = from.serves_pmi;
    to.keeps_daemons = from.keeps_daemons;
    to.spawn_blocks_threads = from.spawn_blocks_threads;
    to.meters_power = from.meters_power;
    to.program = from.program;
    to.heartbeat_s = from.heartbeat_s;
    to.heartbeat_limit_s = from.heartbeat_limit_s;
    to.orphan_limit_s = from.orphan_limit_s;
    to.leave_within_s = from.leave_within_s;
    return to;
}

}  // namespace

wire::AgentWelcome welcome_of(const LaunchSpec& launch) {
    return copied<wire::AgentWelcome>(launch);
}

LaunchSpec launch_from(const wire::AgentWelcome& welcome) {
    return copied<LaunchSpec>(welcome);
}

}  // namespace ductile::broker
