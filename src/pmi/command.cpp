#include "pmi/command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "pmi/limits.hpp"

namespace ductile::pmi {
namespace {

struct Field {
    const char* name;   // "key"
    const char* end;    // the text that ends its value; empty: the end of the line
    std::size_t limit;  // including C's terminating zero
};

// The first " name=" of the line is the field: values before the last one contain no space, and a
// service contains no " port=".
std::optional<std::string_view> find(std::string_view line, const Field& field) {
    const auto name = fmt::format(" {}=", field.name);
    const auto at = line.find(name);
    if (at == std::string_view::npos) return std::nullopt;
    line.remove_prefix(at + name.size());
    return *field.end == '\0' ? line : line.substr(0, line.find(field.end));
}

/// Takes the values of a command's fields, in order. unless_refused() reports a fault.
class Values {
  public:
    explicit Values(std::string_view line) : line_(line) {}

    std::string take(const Field& field) {
        const auto value = find(line_, field);
        if (!value)
            why_ = fmt::format("gives no {}", field.name);
        else if (value->size() >= field.limit)
            why_ = fmt::format("gives a {} of {} bytes, and {} are allowed", field.name,
                               value->size(), field.limit - 1);
        else
            return std::string(*value);
        return {};
    }
    std::string take_name(const Field& field) {
        auto value = take(field);
        if (value.empty() && why_.empty()) why_ = fmt::format("gives an empty {}", field.name);
        return value;
    }
    template <class Made>
    Command unless_refused(Made made) {
        if (why_.empty()) return made;
        return Refused{why_};
    }
    template <class Made>
    Command unless_bad(NameQuestion question, Made made) {
        if (why_.empty()) return made;
        return BadName{question, "it " + why_};
    }

  private:
    std::string_view line_;
    std::string why_;
};

constexpr Field kvsname{"kvsname", " ", limits::kvsname_bytes};
constexpr Field key{"key", " ", limits::key_bytes};
constexpr Field value{"value", "", limits::value_bytes};
constexpr Field service{"service", " port=", limits::service_bytes};
constexpr Field last_service{"service", "", limits::service_bytes};
constexpr Field port{"port", "", limits::port_bytes};

Command parse_init(std::string_view line) {
    const auto version = find(line, {"pmi_version", " ", 8});
    if (version == "1") return Init{};
    return Refused{"asks for another version of PMI than 1"};
}

Command parse_put(std::string_view line) {
    Values values(line);
    Put put{values.take(kvsname), values.take_name(key), values.take(value)};
    return values.unless_refused(std::move(put));
}

Command parse_get(std::string_view line) {
    Values values(line);
    Get get{values.take(kvsname), values.take_name(key)};
    return values.unless_refused(std::move(get));
}

Command parse_publish(std::string_view line) {
    Values values(line);
    PublishName publish{values.take_name(service), values.take(port)};
    return values.unless_bad(NameQuestion::publish, std::move(publish));
}

template <class Named, NameQuestion question>
Command parse_service(std::string_view line) {
    Values values(line);
    return values.unless_bad(question, Named{values.take_name(last_service)});
}

// An abort whose code is not a number is still an abort.
Command parse_abort(std::string_view line) {
    Abort abort;
    if (const auto text = find(line, {"exitcode", " ", 16}))
        std::from_chars(text->data(), text->data() + text->size(), abort.code);
    return abort;
}

template <class Plain>
Command plain(std::string_view /*line*/) {
    return Plain{};
}

constexpr struct {
    std::string_view name;
    Command (*parse)(std::string_view line);
    bool may_have_newlines = false;
} commands[] = {
    {"init", parse_init},
    {"get_maxes", plain<GetMaxes>},
    {"get_universe_size", plain<GetUniverseSize>},
    {"get_appnum", plain<GetAppnum>},
    {"get_my_kvsname", plain<GetMyKvsname>},
    {"put", parse_put},
    {"get", parse_get},
    {"barrier_in", plain<BarrierIn>},
    {"publish_name", parse_publish, true},
    {"unpublish_name", parse_service<UnpublishName, NameQuestion::unpublish>, true},
    {"lookup_name", parse_service<LookupName, NameQuestion::lookup>, true},
    {"finalize", plain<Finalize>},
    {"abort", parse_abort},
};

Command refused_name(std::string_view name) {
    if (name == "initack") return Refused{"sends `initack` twice"};
    if (name == "singinit") return Refused{"was started on its own, which is not served"};
    return Refused{"sends an unknown command"};
}

}  // namespace

Command parse_command(std::string_view line) {
    constexpr std::string_view begin = "cmd=";
    if (line.size() > limits::line_bytes) return Refused{"sends a line that is too long"};
    if (line.find('\0') != line.npos) return Refused{"sends a line that is no text"};
    if (line.substr(0, line.find_last_not_of(' ') + 1) == "mcmd=spawn") return BeginSpawn{};
    if (!line.starts_with(begin)) return Refused{"sends a line that is no command"};
    line.remove_prefix(begin.size());
    const auto name = line.substr(0, line.find_first_of(" \n"));
    const auto* known = std::find_if(std::begin(commands), std::end(commands),
                                     [&](const auto& command) { return command.name == name; });
    if (known == std::end(commands)) return refused_name(name);
    if (line.find('\n') != line.npos && !known->may_have_newlines)
        return Refused{"sends a line that is no command"};
    return known->parse(line);
}

}  // namespace ductile::pmi
