#include "cli/submit_words.hpp"

#include <algorithm>
#include <array>
#include <string_view>

#include "ductile/error.hpp"
#include "rms/remote_shell.hpp"

namespace ductile::cli {

namespace {

struct RefusedOption {
    std::string_view longer, shorter;  ///< "--nodes", "-N"; empty: there is none
    std::size_t shortest;  ///< sbatch accepts `longer` shortened to this length, dashes included
    const char* why;
};

constexpr const char* one_host =
    "the Slurm job has one host, and Ductile asks for the others when the job starts; give the "
    "number of ranks to `ductile run`: ductile submit [SBATCH OPTIONS] -- -n 8 -- PROGRAM";
constexpr std::array refused{
    RefusedOption{"--nodes", "-N", 6, one_host},
    RefusedOption{"--ntasks", "-n", 4, one_host},
    RefusedOption{"--nodelist", "-w", 6, one_host},
    RefusedOption{"--nodefile", "-F", 6, one_host},
    RefusedOption{"--array", "-a", 4, "a job of Ductile is no job array"},
    RefusedOption{"--wrap", "", 5, "the script of the Slurm job is `ductile run`"},
};

/// Whether `word` is this option: "--nodes", "--nodes=4", "--node", "-N", "-N4".
bool is(std::string_view word, const RefusedOption& option) {
    if (!option.shorter.empty() && word.starts_with(option.shorter) && !word.starts_with("--"))
        return true;
    const auto name = word.substr(0, word.find('='));
    return name.size() >= option.shortest && option.longer.starts_with(name);
}

std::string name_of(const std::string& program) {
    return program.substr(program.rfind('/') + 1);
}

}  // namespace

std::vector<std::string> submit_words(const std::vector<std::string>& sbatch_options,
                                      const std::vector<std::string>& rest,
                                      const std::string& ductile) {
    for (const auto& word : sbatch_options)
        for (const auto& option : refused)
            if (is(word, option))
                throw InputError("`ductile submit` does not take " + word + ": " + option.why);
    const auto dashes = std::ranges::find(rest, "--");
    const auto program = dashes == rest.end() ? rest.begin() : dashes + 1;
    if (program == rest.end())
        throw InputError(
            "nothing to submit: ductile submit [SBATCH OPTIONS] -- [RUN OPTIONS --] PROGRAM "
            "[ARGUMENTS], where RUN OPTIONS are options of `ductile run`");
    const bool is_option = program->starts_with('-');
    const bool is_program_first = dashes != rest.end() && !rest.front().starts_with('-');
    if (is_option || is_program_first)
        throw InputError("'" + (is_option ? *program : rest.front()) + "' is " +
                         (is_option ? "no program" : "no option of ductile run") +
                         "; options of ductile run stand between two --: ductile submit [sbatch "
                         "options] -- -n 8 -- ./heat");
    auto script = "exec " + rms::shell_quoted(ductile) + " run --slurm-job=here";
    if (dashes == rest.end()) script += " --";
    for (const auto& word : rest) script += " " + rms::shell_quoted(word);
    // --wrap comes before the user's words. So sbatch refuses a script among these words.
    std::vector<std::string> words{"sbatch", "--nodes=1", "--exclusive",
                                   "--job-name=" + name_of(*program), "--wrap=" + script};
    words.insert(words.end(), sbatch_options.begin(), sbatch_options.end());
    return words;
}

}  // namespace ductile::cli
