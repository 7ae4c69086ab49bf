#include "pmi/spawn_reader.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>

#include "pmi/limits.hpp"

namespace ductile::pmi {
namespace {

using Fields = std::map<std::string, std::string, std::less<>>;

/// Reads the fields of one command. Keeps the first fault.
class CommandReader {
  public:
    explicit CommandReader(const Fields& fields) : fields_(fields) {}

    int number(const char* name, int low, int high) {
        const auto text = take(name);
        int value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = error == std::errc() && end == text.data() + text.size();
        if (!whole || value < low || value > high) {
            refuse(fmt::format("spawns with a {} that is not from {} to {}", name, low, high));
            return low;
        }
        return value;
    }
    int number_or_none(const char* name) {
        return fields_.contains(name) ? number(name, 0, limits::fields_per_command) : 0;
    }
    std::string take(const std::string& name) {
        const auto found = fields_.find(name);
        if (found != fields_.end()) return found->second;
        refuse("spawns without " + name);
        return {};
    }
    void refuse(std::string why) {
        if (!why_) why_ = std::move(why);
    }
    [[nodiscard]] const std::optional<std::string>& why() const { return why_; }

  private:
    const Fields& fields_;
    std::optional<std::string> why_;
};

std::vector<std::string> arguments_of(CommandReader& in) {
    std::vector<std::string> arguments;
    const int count = in.number_or_none("argcnt");
    for (int i = 1; i <= count && !in.why(); ++i)
        arguments.push_back(in.take(fmt::format("arg{}", i)));
    return arguments;
}

std::vector<InfoEntry> entries_of(CommandReader& in, const char* kind) {
    std::vector<InfoEntry> entries;
    const int count = in.number_or_none(fmt::format("{}_num", kind).c_str());
    for (int i = 0; i < count && !in.why(); ++i)
        entries.push_back({in.take(fmt::format("{}_key_{}", kind, i)),
                           in.take(fmt::format("{}_val_{}", kind, i))});
    return entries;
}

std::vector<InfoEntry> info_of(CommandReader& in) {
    auto info = entries_of(in, "info");
    for (const auto& [key, value] : info)
        if (key.size() >= limits::info_key_bytes || value.size() >= limits::info_value_bytes)
            in.refuse(fmt::format("spawns with an info key of over {} bytes, or a value of over {}",
                                  limits::info_key_bytes - 1, limits::info_value_bytes - 1));
    return info;
}

void take_keys(CommandReader& in, Keys& keys) {
    for (auto& [key, value] : entries_of(in, "preput")) {
        if (key.empty() || key.size() >= limits::key_bytes || value.size() >= limits::value_bytes)
            in.refuse("spawns with a key or a value of a wrong length");
        if (key.starts_with("PMI_")) in.refuse("spawns with a key that is the server's");
        keys.insert_or_assign(std::move(key), std::move(value));
    }
}

}  // namespace

int SpawnRequest::ranks() const {
    int sum = 0;
    for (const auto& command : commands) sum += command.ranks;
    return sum;
}

SpawnProgress SpawnReader::add(std::string_view line) {
    bytes_ += line.size();
    if (bytes_ > limits::spawn_bytes || line.size() > limits::line_bytes)
        return Refused{"spawns with more text than is allowed"};
    if (line.find('\0') != line.npos) return Refused{"spawns with a line that is no text"};
    if (!in_command_) {
        if (line.substr(0, line.find_last_not_of(' ') + 1) != "mcmd=spawn")
            return Refused{"spawns fewer commands than it announced"};
        in_command_ = true;
        return NeedMore{};
    }
    if (line == "endcmd") return end_command();
    const auto equals = line.find('=');
    if (equals == line.npos) return Refused{"spawns with a line that is no field"};
    if (fields_.size() >= 3 * static_cast<std::size_t>(limits::fields_per_command))
        return Refused{"spawns with more fields than are allowed"};
    const bool added = fields_.emplace(line.substr(0, equals), line.substr(equals + 1)).second;
    if (!added) return Refused{"spawns with a field given twice"};
    return NeedMore{};
}

SpawnProgress SpawnReader::end_command() {
    CommandReader in(fields_);
    const int commands = in.number("totspawns", 1, limits::commands_per_spawn);
    const int place = in.number("spawnssofar", 1, commands);
    const bool in_order = place == static_cast<int>(request_.commands.size()) + 1;
    if (!in_order || (commands_ != 0 && commands != commands_))
        in.refuse("spawns with commands out of order");
    commands_ = commands;
    SpawnCommand command;
    command.ranks = in.number("nprocs", 0, limits::ranks_per_spawn);
    command.program = in.take("execname");
    command.arguments = arguments_of(in);
    command.info = info_of(in);
    take_keys(in, request_.keys);
    if (request_.ranks() > limits::ranks_per_spawn - command.ranks)
        in.refuse(fmt::format("spawns more than {} ranks", limits::ranks_per_spawn));
    if (in.why()) return Refused{*in.why()};
    request_.commands.push_back(std::move(command));
    fields_.clear();
    in_command_ = false;
    if (place < commands) return NeedMore{};
    return std::move(request_);
}

}  // namespace ductile::pmi
