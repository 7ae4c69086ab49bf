// What ranks of a world and a process manager made of src/pmi/ said, as one_host_main.cpp writes
// it:
//
//     kvsname ductile_0123                    of the world, its hosts ("2m": each its own machine),
//     hosts 2m                                its gate, its keys, the appnum of each rank
//     gate shut
//     rank 0
//     key PARENT_ROOT_PORT_NAME tag#0$...
//     0> cmd=init pmi_version=1 ...           rank 0 says
//     0< cmd=response_to_init ...             rank 0 is told
//     ! ended 0                               also: leaves, release_gate, spawn_answer R started
#pragma once

#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "pmi/one_world.hpp"

namespace ductile::pmi {

struct Recording {
    OneWorldOptions options;
    std::vector<std::string> steps;                   ///< what ranks say, and events
    std::map<int, std::vector<std::string>> answers;  ///< to each rank
};

inline int number_in(const std::string& text) {
    const bool digits = !text.empty() && text.find_first_not_of("0123456789") == text.npos;
    return digits && text.size() < 7 ? std::stoi(text) : 0;
}

/// Lines that are none of the above are passed over; at most 16 ranks.
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

/// Which rank speaks in a step that is no event.
inline int speaker_of(const std::string& step, int ranks) {
    return number_in(step.substr(0, std::min(step.find(' '), step.size()) - 1)) % ranks;
}

/// Does one step. Ranks that are not there are taken for others.
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
