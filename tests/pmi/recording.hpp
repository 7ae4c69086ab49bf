// The lines between the ranks of a world and a process manager made of src/pmi/, as
// one_host_main.cpp writes them:
//
//     kvsname ductile_0123                    the name of the world
//     hosts 2m                                2 hosts; m: each is a machine of its own
//     gate shut
//     rank 0                                  a line for each rank: its appnum
//     key PARENT_ROOT_PORT_NAME tag#0$...     a key that the world has from the start
//     0> cmd=init pmi_version=1 ...           from rank 0
//     0< cmd=response_to_init ...             to rank 0
//     ! ended 0                               an event; also: leaves R, host_lost R, release_gate,
//                                             spawn_answer R started, spawn_answer R failed
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "pmi/one_world.hpp"

namespace ductile::pmi {

struct Recording {
    OneWorldOptions options;
    std::vector<std::string> steps;                   ///< lines from ranks, and events
    std::map<int, std::vector<std::string>> answers;  ///< to each rank
};

inline int number_in(const std::string& text) {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    return digits && text.size() < 7 ? std::stoi(text) : 0;
}

/// Ignores other lines, and ranks after the 16th.
inline Recording read_recording(const std::string& text) {
    Recording recording;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
        const auto space = std::min(line.find(' '), line.size());
        const auto word = line.substr(0, space);
        const auto rest = line.substr(std::min(space + 1, line.size()));
        if (word == "kvsname")
            recording.options.kvsname =
                KvsName::from_text(rest).value_or(recording.options.kvsname);
        else if (word == "hosts")
            recording.options.hosts = std::clamp(number_in(rest.substr(0, rest.find('m'))), 1, 16);
        else if (word == "gate")
            recording.options.gate = rest == "shut" ? Gate::shut : Gate::open;
        else if (word == "rank" && recording.options.appnums.size() < 16)
            recording.options.appnums.push_back(number_in(rest));
        else if (word == "key")
            recording.options.keys.insert_or_assign(
                rest.substr(0, rest.find(' ')),
                rest.substr(std::min(rest.find(' '), rest.size() - 1) + 1));
        else if (word.ends_with('<'))
            recording.answers[number_in(word.substr(0, word.size() - 1))].push_back(rest);
        else if (word.ends_with('>') || word == "!")
            recording.steps.push_back(line);
        if (word == "hosts" && rest.ends_with('m'))
            recording.options.machines = Machines::one_a_host;
    }
    if (recording.options.appnums.empty()) recording.options.appnums.push_back(0);
    return recording;
}

/// Which rank sends the line of a step that is not an event.
inline int speaker_of(const std::string& step, int ranks) {
    return number_in(step.substr(0, std::min(step.find(' '), step.size()) - 1)) % ranks;
}

/// Does one step. A rank number beyond the world stands for the rank modulo the number of ranks.
inline void do_step(OneWorld& world, const std::string& step) {
    const auto space = std::min(step.find(' '), step.size());
    const auto rest = step.substr(std::min(space + 1, step.size()));
    if (step[0] != '!') return world.line(speaker_of(step, world.ranks()), rest);
    std::istringstream words(rest);
    std::string event, rank_text, result;
    words >> event >> rank_text >> result;
    const int rank = number_in(rank_text) % world.ranks();
    if (event == "ended") world.ended(rank);
    if (event == "leaves") world.leaves(rank);
    if (event == "host_lost") world.host_lost(world.host(rank));
    if (event == "release_gate") world.release_gate();
    if (event == "spawn_answer")
        world.spawn_answer(
            rank, result == "started" ? answer::SpawnResult::started : answer::SpawnResult::failed);
}

}  // namespace ductile::pmi
