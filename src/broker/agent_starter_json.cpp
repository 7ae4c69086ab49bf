// What a new agent reads on its standard input (agent/bootstrap.hpp).
#include "broker/agent_starter.hpp"
#include "wire/fields.hpp"
#include "wire/json_line.hpp"

namespace ductile::broker {

std::string AgentStarter::bootstrap(const Who& who, const BrokerEndpoint& endpoint,
                                    const std::vector<wire::StartRun>& runs) const {
    wire::Json starts = wire::Json::array();
    for (const auto& run : runs) starts.push_back(wire::encode_json(wire::ToAgent{run}));
    return wire::to_line({{"job", job_},
                          {"host", who.host.value},
                          {"host_name", who.name},
                          {"generation", who.generation.value},
                          {"secret", wire::to_hex(endpoint.secret)},
                          {"addresses", rms_.broker_addresses()},
                          {"port", endpoint.port},
                          {"logical", rms_.logical()},
                          {"partial_stdout", setup_.partial.in_stdout},
                          {"partial_stderr", setup_.partial.in_stderr},
                          {"welcome", wire::encode_json(wire::ToAgent{setup_.welcome})},
                          {"runs", std::move(starts)}});
}

}  // namespace ductile::broker
