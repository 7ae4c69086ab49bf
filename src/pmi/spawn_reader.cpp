#include "pmi/spawn_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "pmi/limits.hpp"

namespace ductile::pmi {
namespace {

using Fields = std::map<std::string, std::string, std::less<>>;
using Names = std::vector<std::string>;

constexpr std::string_view begin = "mcmd=spawn";
constexpr std::string_view end = "endcmd";

/// Reads the fields of one command. Keeps the first fault.
class CommandReader {
  public:
    explicit CommandReader(const Fields& fields) : fields_(fields) {}

    int number(const std::string& name, int low, int high) {
        const auto text = take(name);
        int value = 0;
        const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        const bool whole = error == std::errc() && stop == text.data() + text.size();
        if (!whole || value < low || value > high) {
            refuse(fmt::format("its {} is not from {} to {}", name, low, high));
            return low;
        }
        return value;
    }
    int count(const std::string& name) {
        return fields_.contains(name) ? number(name, 0, limits::fields_per_command) : 0;
    }
    std::string take(const std::string& name) {
        const auto found = fields_.find(name);
        if (found != fields_.end()) return found->second;
        refuse("it has no " + name);
        return {};
    }
    void refuse(std::string why) {
        if (!why_) why_ = std::move(why);
    }
    [[nodiscard]] bool has(const std::string& name) const { return fields_.contains(name); }
    [[nodiscard]] const std::optional<std::string>& why() const { return why_; }

  private:
    const Fields& fields_;
    std::optional<std::string> why_;
};

/// A name with its number: {"info_key_", 3}; {"nprocs", nullopt}.
struct NumberedName {
    std::string_view text;
    int number = 0;
};

NumberedName split(std::string_view name) {
    const auto digits = name.find_last_not_of("0123456789") + 1;
    NumberedName split{name.substr(0, digits)};
    std::from_chars(name.data() + digits, name.data() + name.size(), split.number);
    return split;
}

bool is_text(std::string_view name) {
    const auto kind = split(name).text;
    return name == "execname" || kind == "arg" || kind.ends_with("_key_") ||
           kind.ends_with("_val_");
}

/// The names that may come after the arguments.
const Names after_arguments{"preput_num", "info_num"};

Names after_argument(int number, CommandReader& in) {
    const auto next = fmt::format("arg{}", number + 1);
    if (number > limits::fields_per_command)
        in.refuse(fmt::format("it has more than {} arguments", limits::fields_per_command));
    if (!in.has("argcnt")) return {next, "argcnt"};
    return number < in.count("argcnt") ? Names{next} : after_arguments;
}

Names after_arguments_count(CommandReader& in) {
    const int count = in.count("argcnt");
    if (!in.has("arg1")) return count > 0 ? Names{"arg1"} : after_arguments;
    if (!in.has(fmt::format("arg{}", count)) || in.has(fmt::format("arg{}", count + 1)))
        in.refuse(
            "its arguments do not have the number that MPI says: MPI has left one out, or one has "
            "a "
            "line that begins with 'arg'");
    return after_arguments;
}

/// After entry number `done` of `kind`, from 0; -1: after their count.
Names after_entry(const std::string& kind, int done, CommandReader& in) {
    if (done + 1 < in.count(kind + "_num")) return {fmt::format("{}_key_{}", kind, done + 1)};
    return {kind == "preput" ? "info_num" : std::string(end)};
}

/// The names of which one comes after this one. MPICH and Intel MPI send them in this order.
Names names_after(std::string_view name, CommandReader& in) {
    static const std::map<std::string_view, Names> simple{
        {begin, {"nprocs"}},
        {"nprocs", {"execname"}},
        {"execname", {"totspawns"}},
        {"totspawns", {"spawnssofar"}},
        {"spawnssofar", {"argcnt", "arg1", "preput_num", "info_num"}}};
    if (const auto found = simple.find(name); found != simple.end()) return found->second;
    if (name == "argcnt") return after_arguments_count(in);
    const auto [text, number] = split(name);
    if (text == "arg") return after_argument(number, in);
    const std::string kind(text.substr(0, text.find('_')));
    if (text.ends_with("_key_")) return {fmt::format("{}_val_{}", kind, number)};
    return after_entry(kind, text.ends_with("_num") ? -1 : number, in);
}

std::vector<std::string> arguments_of(CommandReader& in) {
    std::vector<std::string> arguments;
    const int count = in.count("argcnt");
    for (int i = 1; i <= count && !in.why(); ++i)
        arguments.push_back(in.take(fmt::format("arg{}", i)));
    return arguments;
}

std::vector<InfoEntry> entries_of(CommandReader& in, const char* kind) {
    std::vector<InfoEntry> entries;
    const int count = in.count(fmt::format("{}_num", kind));
    for (int i = 0; i < count && !in.why(); ++i)
        entries.push_back({in.take(fmt::format("{}_key_{}", kind, i)),
                           in.take(fmt::format("{}_val_{}", kind, i))});
    return entries;
}

std::vector<InfoEntry> info_of(CommandReader& in) {
    auto info = entries_of(in, "info");
    for (const auto& [key, value] : info)
        if (key.size() >= limits::info_key_bytes || value.size() >= limits::info_value_bytes)
            in.refuse(fmt::format("it has an info key of over {} bytes, or a value of over {}",
                                  limits::info_key_bytes - 1, limits::info_value_bytes - 1));
    return info;
}

void take_keys(CommandReader& in, Keys& keys) {
    for (auto& [key, value] : entries_of(in, "preput")) {
        if (key.empty() || key.size() >= limits::key_bytes || value.size() >= limits::value_bytes)
            in.refuse("it has a PMI key or value of a wrong length");
        if (key.starts_with("PMI_")) in.refuse("it has a PMI key that is the server's");
        keys.insert_or_assign(std::move(key), std::move(value));
    }
}

/// The number of commands that the request announces, also if it is too high.
int announced(std::string_view totspawns) {
    int commands = 0;
    std::from_chars(totspawns.data(), totspawns.data() + totspawns.size(), commands);
    return std::max(1, commands);
}

bool is_begin(std::string_view line) {
    return line.substr(0, line.find_last_not_of(' ') + 1) == begin;
}

}  // namespace

int SpawnRequest::ranks() const {
    int sum = 0;
    for (const auto& command : commands) sum += command.ranks;
    return sum;
}

void SpawnReader::add(std::string_view line) {
    const bool follows_end = at_end_;
    at_end_ = line == end;
    if (fault_)
        pass_over(line, follows_end);
    else
        read(line);
}

void SpawnReader::pass_over(std::string_view line, bool follows_end) {
    constexpr std::string_view total = "totspawns=";
    if (follows_end && is_begin(line)) ++begun_;
    if (commands_ == 0 && line.starts_with(total)) commands_ = announced(line.substr(total.size()));
}

void SpawnReader::read(std::string_view line) {
    bytes_ += line.size() + 1;
    if (bytes_ > limits::spawn_bytes || line.size() > limits::line_bytes)
        return refuse(fmt::format("it has a text of over {} KiB, or over {} KiB in all",
                                  limits::line_bytes >> 10, limits::spawn_bytes >> 10));
    if (line.find('\0') != line.npos) return refuse("it has a text with a zero byte");
    const auto equals = line.find('=');
    const std::string name(is_begin(line) ? begin : line.substr(0, equals));
    const bool is_field = equals != std::string_view::npos || name == end;
    if (is_field && std::ranges::find(expected_, name) != expected_.end())
        return take_field(name, line.substr(std::min(equals, line.size() - 1) + 1));
    // The first two names of a command come before any text.
    const bool came_before =
        is_field && fields_.contains(name) && name != "nprocs" && name != "execname";
    if (came_before || !is_text(last_))
        return refuse(
            fmt::format("one of its texts has a line that begins with '{}', as lines of PMI-1 do",
                        name.substr(0, 32)));
    auto& text = fields_[last_];
    text += '\n';
    text += line;
}

void SpawnReader::take_field(const std::string& name, std::string_view value) {
    last_ = name;
    if (name == end) return end_command();
    if (name == begin)
        ++begun_;
    else
        fields_.emplace(name, value);
    CommandReader in(fields_);
    expected_ = names_after(name, in);
    if (name == "nprocs") in.number(name, 0, limits::ranks_per_spawn);
    if (name == "totspawns") {
        in.number(name, 1, limits::commands_per_spawn);
        if (commands_ == 0) commands_ = announced(value);
        if (commands_ != announced(value)) in.refuse("its commands are out of order");
    }
    if (name == "spawnssofar" && in.number(name, 1, commands_) != begun_)
        in.refuse("its commands are out of order");
    if (in.why()) refuse(*in.why());
}

void SpawnReader::end_command() {
    CommandReader in(fields_);
    SpawnCommand command;
    command.ranks = in.number("nprocs", 0, limits::ranks_per_spawn);
    command.program = in.take("execname");
    command.arguments = arguments_of(in);
    command.info = info_of(in);
    take_keys(in, request_.keys);
    if (request_.ranks() > limits::ranks_per_spawn - command.ranks)
        in.refuse(fmt::format("it asks for more than {} ranks", limits::ranks_per_spawn));
    if (in.why()) return refuse(*in.why());
    request_.commands.push_back(std::move(command));
    fields_.clear();
    expected_.clear();
    if (begun_ < commands_) expected_.emplace_back(begin);
}

void SpawnReader::refuse(std::string why) {
    fault_ = std::move(why);
    fields_.clear();
    request_ = {};
}

bool SpawnReader::is_complete() const {
    return at_end_ && (fault_ ? begun_ >= commands_ : expected_.empty());
}

std::variant<SpawnRequest, BadSpawn> SpawnReader::take() {
    if (fault_) return BadSpawn{*fault_};
    return std::move(request_);
}

}  // namespace ductile::pmi
