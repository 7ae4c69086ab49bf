// make_fuzz_seeds FOLDER: writes FOLDER/NAME/..., seeds for the fuzz targets whose input Ductile
// itself writes. It uses the encoders of Ductile.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "broker/launch_spec_wire.hpp"
#include "broker/resize_request_wire.hpp"
#include "broker/snapshot_json.hpp"
#include "cli/costs_file.hpp"
#include "cli/job_origin.hpp"
#include "fuzz/families.hpp"
#include "wire/frame.hpp"
#include "wire/json_line.hpp"

namespace ductile::fuzz {
namespace {

namespace fs = std::filesystem;

enum class Fill { smallest, typical };

/// A visitor of a message's fields (wire/fields.hpp) that gives each a value within its bounds.
class Filler {
  public:
    explicit Filler(Fill fill) : fill_(fill) {}

    template <class Number>
    void number(const char* /*key*/, Number& value, std::int64_t low, std::int64_t high) {
        value = static_cast<Number>(
            fill_ == Fill::smallest ? low : std::clamp<std::int64_t>(3, low, high));
    }
    template <class IdType>
    void id(const char* key, IdType& value) {
        number(key, value.value, -1, wire::limits::ids - 1);
    }
    void flag(const char* /*key*/, bool& value) { value = fill_ == Fill::typical; }
    void seconds(const char* /*key*/, double& value) { value = fill_ == Fill::smallest ? 0 : 1.5; }
    void real(const char* /*key*/, double& value, double low, double high) {
        value = fill_ == Fill::smallest ? low : (low + high) / 2;
    }
    void text(const char* /*key*/, std::string& value, std::size_t /*max_bytes*/) {
        value = fill_ == Fill::smallest ? "" : "some text";
    }
    void bytes(const char* key, std::string& value, std::size_t max_bytes) {
        text(key, value, max_bytes);
    }
    void texts(const char* /*key*/, std::vector<std::string>& value, std::size_t, std::size_t) {
        value.assign(count(), "NAME=value");
    }
    template <class IdType>
    void ids(const char* /*key*/, std::vector<IdType>& value, std::size_t) {
        value.assign(count(), IdType{3});
    }
    template <class Enum>
    void choice(const char* /*key*/, Enum& value, const std::vector<std::string_view>& words) {
        value = static_cast<Enum>(fill_ == Fill::smallest ? 0 : words.size() - 1);
    }
    template <class Item>
    void list(const char* /*key*/, std::vector<Item>& value, std::size_t) {
        value.clear();
        for (std::size_t i = 0; i < count(); ++i) {
            Item item;
            item.visit(*this);
            value.push_back(std::move(item));
        }
    }
    template <class Object>
    void object(const char* /*key*/, Object& value) {
        value.visit(*this);
    }
    template <class... Messages>
    void message(const char* /*key*/, std::variant<Messages...>& value) {
        std::visit([this](auto& one) { one.visit(*this); }, value);
    }

  private:
    [[nodiscard]] std::size_t count() const { return fill_ == Fill::smallest ? 0 : 2; }
    Fill fill_;
};

template <class Message>
Message filled(Fill fill) {
    Message message;
    Filler filler(fill);
    message.visit(filler);
    return message;
}

void write(const fs::path& path, const std::string& bytes) {
    fs::create_directories(path.parent_path());
    std::ofstream file(path, std::ios::binary);
    file << bytes;
    file.close();
    if (!file) throw SystemError("cannot write " + path.string());
}

// A frame for each message with its smallest and with typical values, and a stream of several.
void write_frames(const fs::path& folder) {
    std::string stream;
    for_each_family([&]<class... Messages>(std::type_identity<std::variant<Messages...>>) {
        const auto write_one = [&]<class Message>(std::type_identity<Message>) {
            using Family = std::variant<Messages...>;
            const std::string name(Message::name);
            const auto typical = wire::to_frame(Family{filled<Message>(Fill::typical)});
            write(folder / (name + ".typical"), typical);
            write(folder / (name + ".smallest"),
                  wire::to_frame(Family{filled<Message>(Fill::smallest)}));
            if (stream.size() < 512) stream += typical;
        };
        (write_one(std::type_identity<Messages>{}), ...);
    });
    write(folder / "stream", stream);
}

void write_bootstrap(const fs::path& folder) {
    using wire::Json;
    auto run = filled<wire::StartRun>(Fill::typical);
    Json line{{"job", "job-1"},
              {"host", 3},
              {"host_name", "h3"},
              {"generation", 7},
              {"secret", std::string(64, 'a')},
              {"addresses", {"10.0.0.1", "head"}},
              {"port", 4000},
              {"logical", false},
              {"partial_stdout", true},
              {"partial_stderr", false}};
    write(folder / "bare", wire::to_line(line));
    line["welcome"] = wire::encode_json(wire::ToAgent{filled<wire::AgentWelcome>(Fill::typical)});
    line["runs"] = Json::array({wire::encode_json(wire::ToAgent{run})});
    write(folder / "with_runs", wire::to_line(line));
}

broker::Snapshot snapshot() {
    using namespace core;
    const Group wide{GroupId{0}, HostIndex{0}, 5, {{HostIndex{1}, 2}}};
    const Group other{GroupId{7}, HostIndex{1}, 2};
    broker::Snapshot known;
    known.stage = broker::Stage::running;
    known.layout = Layout::of({wide, other}).without({Rank{1}}, {Rank{3}});
    known.given_back = {{HostIndex{0}, 1}};
    known.groups = {{wide, GroupId{0}, broker::GroupRole::member},
                    {other, GroupId{0}, broker::GroupRole::child}};
    known.agents = {{HostIndex{3}, Generation{12}}};
    known.code = broker::limits_from(filled<wire::CodeOptions>(Fill::typical));
    resize::ResizePlan open;
    open.id = TransactionId{4};
    open.added = {{GroupId{8}, HostIndex{3}, 2}};
    open.before = known.layout;
    open.after = known.layout.with_back(1).with(open.added);
    open.given_back = known.given_back;
    open.names = {{HostIndex{3}, "node3"}};
    known.open.emplace(std::move(open));
    resize::Effects effects;
    for (const auto& event : std::vector<resize::Event>{
             resize::Begin{}, resize::Recorded{}, resize::RankUp{{GroupId{8}, Rank{0}}},
             resize::PortOpened{known.layout.at(Rank{0}), "tag#0$description"},
             resize::ConnectStarting{{GroupId{8}, Rank{0}}}})
        known.open->on(event, effects);
    const auto asked =
        broker::request_from(filled<wire::ResizeRequest>(Fill::typical), core::is_no_host).value();
    known.next = broker::KnownRequest{asked, core::TransactionId{4}};
    known.waiting = {{asked, core::TransactionId{0}}};
    return known;
}

void write_journal(const fs::path& folder) {
    write(folder / "empty", wire::to_line(to_json(broker::Snapshot{})));
    write(folder / "resizing", wire::to_line(to_json(snapshot())));
}

void write_origin(const fs::path& folder) {
    cli::JobOrigin origin;
    cli::Settings settings({{"ranks", "4"}, {"inhibitor", "1.5"}, {"tag", "yes"}}, "");
    static_cast<void>(settings.number("ranks", 1, 1, 100));
    static_cast<void>(settings.seconds("inhibitor", 0));
    static_cast<void>(settings.flag("tag"));
    static_cast<void>(settings.text("remote-shell", ""));
    origin.settings = settings.asked();
    origin.launch = broker::launch_from(filled<wire::AgentWelcome>(Fill::typical));
    origin.hosts.hosts = {{"a", 4}, {"b", 2}};
    write(folder / "hosts", wire::to_line(to_json(origin)));
}

void write_costs(const fs::path& folder) {
    mpi::Capabilities mpi;
    mpi.implementation = "MPICH";
    mpi.version = "5.0.2";
    plan::CostModel model;
    model.starts[{plan::Start::launch, plan::Overlap::background}] = {
        {0.1, 0.01, 0}, {0, 0, 0.02}, 1.25, 1, 9};
    model.merge = {0.001, 0, 0};
    write(folder / "one_start", cli::to_json(model, mpi).dump(2));
}

// Inputs that once caused a crash and are too long to be kept as files.
void write_long(const fs::path& folder) {
    const std::string deep = std::string(200000, '[') + std::string(200000, ']');
    for (const auto* target : {"json_line", "journal", "job_origin", "costs", "events"})
        write(folder / target / "deep", deep);
    write(folder / "words" / "long_stack_line",
          "probe: x: y\nf(1)" + std::string(400000, '.') + ": z\n");
}

}  // namespace
}  // namespace ductile::fuzz

int main(int argc, char** argv) {
    using namespace ductile::fuzz;
    if (argc != 2) return 2;
    const fs::path folder(argv[1]);
    write_frames(folder / "frames");
    write_bootstrap(folder / "json_line");
    write_journal(folder / "journal");
    write_origin(folder / "job_origin");
    write_costs(folder / "costs");
    write_long(folder);
    return 0;
}
