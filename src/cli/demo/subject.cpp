#include "cli/demo/subject.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "ductile/error.hpp"
#include "rms/self.hpp"

namespace ductile::cli::demo {

namespace {

std::string program_beside(const std::string& name, const std::string& cure) {
    const auto self = rms::self_path();
    auto path = self.substr(0, self.rfind('/') + 1) + name;
    if (!std::filesystem::exists(path))
        throw SystemError(fmt::format("there is no program {} to show; {}", path, cure));
    return path;
}

Subject heat(const Script& script) {
    const auto side = std::to_string(script.side);
    Subject subject;
    subject.what = fmt::format("a 2-D heat equation on {0} x {0} points", side);
    subject.words = {program_beside("heat", "build the target `heat` (./demo does)"), "--rows",
                     side, "--cols", side};
    subject.result_option = "--field";
    return subject;
}

// The revolving sphere of apps/mpdata/sphere.toml.
void write_sphere(const std::string& path, int cells) {
    std::ofstream file(path);
    file << fmt::format(
        "[grid]\ncells = [{0}, {0}, {0}]\n"
        "[scheme]\npasses = 2\nnon_oscillatory = true\n"
        "[run]\nproblem = \"revolving_sphere\"\nsteps = 556\n",
        cells);
    file.close();
    if (!file) throw SystemError("cannot write " + path);
}

Subject mpdata(const Script& script, const std::string& input) {
    Subject subject;
    subject.what = fmt::format(
        "a sphere that turns in a grid of {0} x {0} x {0} cells, advected by MPDATA", script.cells);
    subject.words = {
        program_beside("mpdata", "./demo mpdata builds it, and brings the HDF5 that it needs"),
        input, "--checksum"};
    subject.result_option = "--picture";
    subject.draws_meanwhile = true;
    subject.prints_checksum = true;
    write_sphere(input, script.cells);
    return subject;
}

}  // namespace

Subject make_subject(const DemoOptions& options, const Script& script, const std::string& input) {
    return options.program == "mpdata" ? mpdata(script, input) : heat(script);
}

std::string printed_checksum(const std::string& output) {
    constexpr std::string_view before = "checksum ";
    constexpr std::size_t digits = 16;
    const auto place = output.rfind(before);
    if (place == std::string::npos || output.size() < place + before.size() + digits)
        throw SystemError("the program has printed no checksum: " + output);
    return output.substr(place + before.size(), digits);
}

}  // namespace ductile::cli::demo
