#include "cli/costs_file.hpp"

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/small_file.hpp"
#include "ductile/error.hpp"

namespace ductile::cli {

namespace {

using Json = nlohmann::json;
using plan::CostModel;
using plan::Term;

constexpr double most_seconds = 1e6;

std::string name_of(const mpi::Capabilities& mpi) {
    return mpi.implementation + " " + mpi.version;
}

Json to_json(const Term& term) {
    return {
        {"constant", term.constant}, {"per_rank", term.per_rank}, {"per_level", term.per_level}};
}

double number_in(const Json& json, const std::string& key, const std::string& place, double low,
                 double high) {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_number())
        throw InputError(place + "." + key + " is not a number");
    const double value = found->get<double>();
    if (!(value >= low && value <= high))
        throw InputError(place + "." + key + " is not from " + std::to_string(low) + " to " +
                         std::to_string(high));
    return value;
}

const Json& object_in(const Json& json, const std::string& key, const std::string& place) {
    const auto found = json.is_object() ? json.find(key) : json.end();
    if (found == json.end() || !found->is_object())
        throw InputError(place + (place.empty() ? "" : ".") + key + " is missing");
    return *found;
}

Term term_in(const Json& json, const std::string& key, const std::string& place) {
    const auto& term = object_in(json, key, place);
    const auto where = place + (place.empty() ? "" : ".") + key;
    return {number_in(term, "constant", where, 0, most_seconds),
            number_in(term, "per_rank", where, 0, most_seconds),
            number_in(term, "per_level", where, 0, most_seconds)};
}

/// The text of this field. Empty if there is none.
std::string word_in(const Json& object, const char* key) {
    const auto found = object.find(key);
    return found == object.end() || !found->is_string() ? "" : found->get<std::string>();
}

std::string mpi_of(const Json& json) {
    const auto found = json.is_object() ? json.find("mpi") : json.end();
    if (found == json.end() || !found->is_string()) throw InputError("mpi is missing");
    return found->get<std::string>();
}

Json json_in(std::string_view text, const std::string& file) {
    auto json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) throw InputError(file + " is not JSON");
    return json;
}

// A file of an earlier version has no moves.
std::vector<plan::MoveCost> moves_in(const Json& json) {
    const auto moves = json.find("moves");
    if (moves == json.end()) return {};
    if (!moves->is_array()) throw InputError("moves is no list");
    std::vector<plan::MoveCost> costs;
    for (std::size_t i = 0; i < moves->size(); ++i) {
        const auto& one = (*moves)[i];
        const auto place = "moves[" + std::to_string(i) + "]";
        if (!one.is_object()) throw InputError(place + " is no object");
        const auto executor = plan::executor_named(word_in(one, "executor"));
        if (!executor || executor == plan::Executor::automatic)
            throw InputError(place + ".executor is none of p2p, alltoallv, rma-lock, rma-lockall");
        for (const auto& other : costs)
            if (other.executor == *executor) throw InputError(place + " repeats an executor");
        costs.push_back({*executor, number_in(one, "constant", place, 0, most_seconds),
                         number_in(one, "per_rank", place, 0, most_seconds),
                         number_in(one, "per_mebibyte", place, 0, most_seconds)});
    }
    return costs;
}

}  // namespace

std::string costs_path() {
    if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config == '/')
        return std::string(config) + "/ductile/costs.json";
    const char* home = std::getenv("HOME");
    return std::string(home != nullptr ? home : "") + "/.config/ductile/costs.json";
}

Json to_json(const CostModel& model, const mpi::Capabilities& mpi) {
    Json starts = Json::array();
    for (const auto& [strategy, cost] : model.starts)
        starts.push_back({{"start", plan::to_string(strategy.first)},
                          {"overlap", plan::to_string(strategy.second)},
                          {"spawn", to_json(cost.spawn)},
                          {"connect", to_json(cost.connect)},
                          {"omega", cost.omega},
                          {"samples", cost.samples}});
    Json moves = Json::array();
    for (const auto& cost : model.moves)
        moves.push_back({{"executor", plan::to_string(cost.executor)},
                         {"constant", cost.constant},
                         {"per_rank", cost.per_rank},
                         {"per_mebibyte", cost.per_mebibyte}});
    return {{"mpi", name_of(mpi)},
            {"moves", std::move(moves)},
            {"starts", std::move(starts)},
            {"merge", to_json(model.merge)},
            {"split", to_json(model.split)}};
}

CostModel costs_from_json(const Json& json, const mpi::Capabilities& mpi) {
    if (mpi_of(json) != name_of(mpi))
        throw InputError("mpi is '" + mpi_of(json) + "': these are not the costs of " +
                         name_of(mpi));
    CostModel model;
    model.merge = term_in(json, "merge", "");
    model.split = term_in(json, "split", "");
    const auto starts = json.find("starts");
    if (starts == json.end() || !starts->is_array()) throw InputError("starts is missing");
    for (std::size_t i = 0; i < starts->size(); ++i) {
        const auto& one = (*starts)[i];
        const auto place = "starts[" + std::to_string(i) + "]";
        if (!one.is_object()) throw InputError(place + " is no object");
        const auto start = plan::start_named(word_in(one, "start"));
        const auto overlap = plan::overlap_named(word_in(one, "overlap"));
        if (!start || !overlap)
            throw InputError(place + " names an unknown start or an unknown overlap");
        plan::StartCost cost;
        cost.spawn = term_in(one, "spawn", place);
        cost.connect = term_in(one, "connect", place);
        cost.omega = number_in(one, "omega", place, 1, 1e3);
        cost.samples = static_cast<int>(number_in(one, "samples", place, 0, 1e9));
        model.starts[{*start, *overlap}] = cost;
    }
    model.moves = moves_in(json);
    return model;
}

CostModel parse_costs(std::string_view text, const std::string& file,
                      const mpi::Capabilities& mpi) {
    const auto json = json_in(text, file);
    try {
        return costs_from_json(json, mpi);
    } catch (const InputError& error) {
        throw InputError(file + ": " + error.what());
    }
}

CostModel read_costs(const std::string& path, const mpi::Capabilities& mpi) {
    return parse_costs(read_small_file(path, "costs"), path, mpi);
}

CostModel costs_of_this_user(const mpi::Capabilities& mpi) {
    const auto path = costs_path();
    std::error_code error;
    if (!std::filesystem::exists(path, error)) return {};
    try {
        if (mpi_of(json_in(read_small_file(path, "costs"), path)) != name_of(mpi)) return {};
    } catch (const InputError&) {  // read_costs reports the place
    }
    return read_costs(path, mpi);
}

void write_costs(const std::string& path, const CostModel& model, const mpi::Capabilities& mpi) {
    std::error_code error;
    const std::filesystem::path file(path);
    if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
    write_small_file(path, to_json(model, mpi).dump(2) + "\n");
}

}  // namespace ductile::cli
