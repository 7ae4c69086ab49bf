// Requests for MPI_Comm_spawn with texts that may look like lines of PMI-1.
#pragma once

#include <rapidcheck.h>

#include <string>
#include <vector>

#include "pmi/spawn_reader.hpp"

namespace ductile::pmi {

/// The lines of PMI-1 of a request, without the first `mcmd=spawn`, as MPICH from 4.1 on or as the
/// others send them.
inline std::vector<std::string> lines_of(const SpawnRequest& request, bool count_first) {
    std::string text;
    const auto put = [&text](const std::string& name, const std::string& value) {
        text += name + "=" + value + "\n";
    };
    for (std::size_t i = 0; i < request.commands.size(); ++i) {
        const auto& command = request.commands[i];
        if (i > 0) text += "mcmd=spawn\n";
        put("nprocs", std::to_string(command.ranks));
        put("execname", command.program);
        put("totspawns", std::to_string(request.commands.size()));
        put("spawnssofar", std::to_string(i + 1));
        const auto count = std::to_string(command.arguments.size());
        if (count_first) put("argcnt", count);
        for (std::size_t a = 0; a < command.arguments.size(); ++a)
            put("arg" + std::to_string(a + 1), command.arguments[a]);
        if (!count_first) put("argcnt", count);
        put("preput_num", i == 0 ? "1" : "0");
        if (i == 0) put("preput_key_0", "k");
        if (i == 0) put("preput_val_0", request.keys.at("k"));
        put("info_num", std::to_string(command.info.size()));
        for (std::size_t e = 0; e < command.info.size(); ++e) {
            put("info_key_" + std::to_string(e), command.info[e].key);
            put("info_val_" + std::to_string(e), command.info[e].value);
        }
        text += "endcmd\n";
    }
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
        lines.push_back(text.substr(at, text.find('\n', at) - at));
    return lines;
}

/// Bytes, and pieces of PMI-1.
inline std::string any_text() {
    std::string text;
    for (int left = *rc::gen::inRange(0, 6); left > 0; --left) {
        if (*rc::gen::arbitrary<bool>()) {
            text += *rc::gen::container<std::string>(rc::gen::nonZero<char>());
            continue;
        }
        text += *rc::gen::element<std::string>(
            "\n", "\nendcmd", "\nargcnt=1", "\narg1=", "\narg2=x", "\narg3=", "\ninfo_num=0",
            "\ninfo_num=1", "\ninfo_key_0=k", "\ninfo_val_0=v", "\npreput_num=0", "\npreput_num=1",
            "\npreput_key_0=k", "\npreput_val_0=", "\ntotspawns=1", "\nspawnssofar=1", "\nnprocs=2",
            "\nexecname=b", "\ncmd=abort exitcode=3", "\nmcmd=spawn");
    }
    return text;
}

/// For a property test.
inline SpawnRequest any_request() {
    SpawnRequest request;
    request.keys = {{"k", "tag#0$port$"}};
    for (int commands = *rc::gen::inRange(1, 3); commands > 0; --commands) {
        auto& command = request.commands.emplace_back();
        command.ranks = *rc::gen::inRange(1, 4);
        command.program = *rc::gen::element<std::string>("a", "b c", "x\ny");
        for (int left = *rc::gen::inRange(0, 4); left > 0; --left)
            command.arguments.push_back(any_text());
        for (int left = *rc::gen::inRange(0, 3); left > 0; --left)
            command.info.push_back({*rc::gen::element<std::string>("host", "wdir"), any_text()});
    }
    return request;
}

}  // namespace ductile::pmi
