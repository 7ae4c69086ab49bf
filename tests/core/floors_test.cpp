// Reads the includes and the link lists of src/, cluster/ and bench/ and names each line that
// reaches upwards (docs/architecture.md).
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace ductile::core::floors_test {
namespace {

namespace fs = std::filesystem;

const std::map<std::string, int> floor_of{
    {"core", 1},   {"os", 2},     {"plan", 2},    {"pmi", 2},    {"tree", 2},
    {"policy", 2}, {"mpi", 3},    {"wire", 3},    {"resize", 3}, {"engine", 4},
    {"data", 4},   {"groups", 4}, {"rms", 4},     {"site", 4},   {"broker", 5},
    {"agent", 5},  {"psets", 5},  {"sim", 5},     {"job", 6},    {"check", 6},
    {"cli", 7},    {"report", 7}, {"cluster", 6}, {"bench", 8},  {"workload", 3},
};
/// Programs to work on Ductile with: the virtual cluster, which `ductile cluster` starts, and the
/// measurements, which may use everything and which nothing uses.
const std::set<std::string> beside_src{"bench", "cluster"};
const std::set<std::string> pure{"core", "plan", "pmi", "tree", "policy", "resize", "workload"};
const std::set<std::string> calls_mpi{"mpi", "engine", "data", "groups", "job", "check", "bench"};
/// The only uses within a floor: `cli` draws pictures with `report`, a switch in `engine` moves
/// data with `data`, and `site` sees Slurm by `rms`.
const std::set<std::pair<std::string, std::string>> within_a_floor{
    {"cli", "report"}, {"engine", "data"}, {"site", "rms"}};
/// Public headers that belong to a floor below job/. All others belong to job/.
const std::map<std::string, std::string> floor_of_public{
    {"ductile/array_memory.hpp", "core"}, {"ductile/error.hpp", "core"},
    {"ductile/distributed.hpp", "data"},  {"ductile/distribution.hpp", "data"},
    {"ductile/part.hpp", "data"},         {"ductile/ragged.hpp", "data"},
    {"ductile/range.hpp", "core"},        {"ductile/rank_host.hpp", "core"},
    {"ductile/records.hpp", "data"},      {"ductile/registration.hpp", "data"},
    {"ductile/replicated.hpp", "data"},   {"ductile/resize_answer.hpp", "core"},
    {"ductile/resized.hpp", "core"},      {"ductile/schema.hpp", "core"}};

/// Files of src/broker, without their endings, that plan a resize or hold its state. They must not
/// depend on who asks for it, or on how the request arrives.
const std::vector<std::string> planner{
    "resize_request",  "resize_planner", "requested_hosts",   "size_in_range",
    "choose_strategy", "start_refusals", "missing_hosts",     "leave_plan",
    "asker",           "open_resize",    "request_queue",     "freed_hosts",
    "snapshot",        "job_ledger",     "resize_requests",   "resize_requests_hosts",
    "request_effects", "shared_effects", "group_context",     "child_hosts",
    "group_table",     "host_states",    "host_events",       "host_table",
    "host_lives",      "host_requests",  "failure_classifier"};
/// Floors whose subject is JSON: messages, files of users, pages.
const std::set<std::string> of_json{"wire", "cli", "report"};
/// Other files, without their endings, that use JSON although their names do not say this, and why.
const std::map<std::string, std::string> uses_json{
    {"broker/event_log", "a record is a line of JSON"},
    {"broker/job_history", "records of resizes are kept as they are shown and journaled"},
    {"broker/journal", "its tables hold JSON"},
    {"broker/job_journal", "it completes the origin that a journal holds"},
    {"site/site_journal", "a record is a line of JSON"},
    {"data/shared_state", "ranks pack what they tell each other as CBOR"},
};
const std::regex says_json(R"(\bnlohmann\b|\bJson\b|"wire/(fields|json_line|parse_json)\.hpp")");
const std::regex named_for_json(R"((^|.*_)json(_.*)?)");

/// Headers that take long to compile. Our headers declare the names that they use from these
/// libraries (nlohmann/json_fwd.hpp, cli/app_declared.hpp) instead, so that files that include our
/// headers need not read the large ones.
const std::set<std::string> long_to_read{"nlohmann/json.hpp", "CLI/CLI.hpp", "asio.hpp"};
/// Our headers that need the whole of such a header, and why.
const std::map<std::string, std::string> needs_whole_library{
    {"src/broker/field_json.hpp", "templates that read and write fields"},
    {"src/broker/job_history.hpp", "holds JSON"},
    {"src/broker/journal.hpp", "holds JSON"},
    {"src/cli/argument_checks.hpp", "a template that makes a Validator of CLI11"},
    {"src/cli/status_text.hpp", "a template that catches the errors of the JSON library"},
    {"src/wire/fields.hpp", "templates that read and write fields"},
    {"bench/common/our_run.hpp", "holds JSON"},
    {"bench/common/report.hpp", "holds JSON"},
};

/// Headers that bring MPI, sockets, clocks, files or threads into a floor that has none.
const std::regex impure_header(
    R"(mpi\.h|asio.*|spdlog/.*|sys/.*|netinet/.*|arpa/.*|netdb\.h|unistd\.h|fcntl\.h|poll\.h|signal\.h|time\.h|ctime|)"
    R"(stdio\.h|cstdio|fstream|iostream|filesystem|thread|mutex|condition_variable|future)");
const std::regex reads_clock(R"(_clock::now\b)");
const std::regex include_line(R"(^\s*#\s*include\s*[<"]([^">]+)[">])");
const std::regex linked_floor(R"(\bductile_([a-z]+)\b)");

std::string first_folder(const std::string& path) {
    const auto slash = path.find('/');
    return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool may_use(const std::string& own, const std::string& other) {
    return other == own || within_a_floor.contains({own, other}) ||
           (floor_of.contains(own) && floor_of.contains(other) &&
            floor_of.at(other) < floor_of.at(own));
}

/// What is wrong with a line of a source of floor `own`, or nothing.
std::string fault_of(const std::string& own, const std::string& line) {
    if (pure.contains(own) && std::regex_search(line, reads_clock))
        return "a pure floor reads a clock";
    std::smatch match;
    if (!std::regex_search(line, match, include_line)) return "";
    const std::string header = match[1];
    if (header == "mpi.h" && !calls_mpi.contains(own)) return own + "/ may not include mpi.h";
    if (pure.contains(own) && std::regex_match(header, impure_header))
        return own + "/ is pure and may not include " + header;
    const auto other = first_folder(header);
    if (other == "..") return "an include names its floor, not a way to it";
    if (other == "ductile") {
        const auto below = floor_of_public.find(header);
        const auto owner = below == floor_of_public.end() ? std::string("job") : below->second;
        const bool above_it = owner == own || floor_of.at(owner) < floor_of.at(own);
        return above_it ? "" : own + "/ may not use the public face of " + owner + "/";
    }
    if (floor_of.contains(other) && !may_use(own, other))
        return own + "/ may not use " + other + "/";
    return "";
}

std::string fault_of_link(const std::string& own, const std::string& line) {
    const auto end = std::sregex_iterator();
    for (auto it = std::sregex_iterator(line.begin(), line.end(), linked_floor); it != end; ++it) {
        const std::string other = (*it)[1];
        if (floor_of.contains(other) && !may_use(own, other))
            return own + "/ may not link " + other + "/";
    }
    return "";
}

/// The public headers stand alone: they are all that is installed.
std::string fault_of_public(const std::string& line) {
    std::smatch match;
    if (std::regex_search(line, match, include_line) && floor_of.contains(first_folder(match[1])))
        return "a public header may not include " + match[1].str() + ", which is not installed";
    return "";
}

bool is_source(const fs::path& path) {
    static const std::set<std::string> endings{".hpp", ".h", ".cpp", ".c", ".f90"};
    return endings.contains(path.extension().string());
}

template <class FaultOf>
void read_lines(const fs::path& file, std::vector<std::string>& faults, FaultOf fault_of_line) {
    std::ifstream in(file);
    int number = 0;
    for (std::string line; std::getline(in, line);) {
        ++number;
        if (const auto fault = fault_of_line(line); !fault.empty())
            faults.push_back(file.string() + ":" + std::to_string(number) + ": " + fault);
    }
}

struct Reading {
    int sources = 0;
    std::vector<std::string> faults;
};

fs::path folder_of(const std::string& floor, const fs::path& root) {
    return beside_src.contains(floor) ? root / floor : root / "src" / floor;
}

Reading read_tree(const fs::path& root) {
    Reading reading;
    for (const auto& [floor, level] : floor_of) {
        const auto folder = folder_of(floor, root);
        if (!fs::exists(folder)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(folder)) {
            if (entry.path().filename() == "CMakeLists.txt")
                read_lines(entry.path(), reading.faults, [&own = floor](const std::string& line) {
                    return fault_of_link(own, line);
                });
            if (!is_source(entry.path())) continue;
            // Probe sources are programs of their own, built by a user's MPI compiler, on no floor.
            if (entry.path().string().find("/probes/") != std::string::npos) continue;
            ++reading.sources;
            read_lines(entry.path(), reading.faults,
                       [&own = floor](const std::string& line) { return fault_of(own, line); });
        }
    }
    if (fs::exists(root / "include"))
        for (const auto& entry : fs::recursive_directory_iterator(root / "include"))
            if (is_source(entry.path())) read_lines(entry.path(), reading.faults, fault_of_public);
    return reading;
}

std::vector<std::string> included_by(const fs::path& file) {
    std::vector<std::string> headers;
    std::ifstream in(file);
    std::smatch match;
    for (std::string line; std::getline(in, line);)
        if (std::regex_search(line, match, include_line)) headers.push_back(match[1]);
    return headers;
}

/// The headers that a file includes, directly or through others, each with the file that includes
/// it.
std::map<std::string, std::string> all_included_by(const fs::path& src, const std::string& file) {
    std::map<std::string, std::string> found;
    std::vector<std::string> unread{file};
    while (!unread.empty()) {
        const auto reader = unread.back();
        unread.pop_back();
        for (const auto& header : included_by(src / reader))
            if (found.try_emplace(header, reader).second && fs::exists(src / header))
                unread.push_back(header);
    }
    return found;
}

std::vector<std::string> planner_files(const fs::path& src) {
    std::vector<std::string> files;
    for (const auto& name : planner)
        for (const char* ending : {".hpp", ".cpp"})
            if (const auto file = "broker/" + name + ending; fs::exists(src / file))
                files.push_back(file);
    return files;
}

/// The planner files that reach headers of messages or of JSON, directly or through others.
std::vector<std::string> faults_of_planner(const fs::path& src) {
    std::vector<std::string> faults;
    for (const auto& file : planner_files(src))
        for (const auto& [header, reader] : all_included_by(src, file))
            if (const auto floor = first_folder(header); floor == "wire" || floor == "nlohmann")
                faults.push_back(file + " plans and may not reach " + header + ", which " + reader +
                                 " includes");
    return faults;
}

bool mentions_json(const fs::path& file) {
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);)
        if (std::regex_search(line, says_json)) return true;
    return false;
}

/// The sources of floors without JSON as their subject that use JSON, without their endings.
std::set<std::string> users_of_json(const fs::path& src) {
    std::set<std::string> users;
    for (const auto& [floor, level] : floor_of) {
        if (of_json.contains(floor) || !fs::exists(src / floor)) continue;
        for (const auto& entry : fs::recursive_directory_iterator(src / floor))
            if (is_source(entry.path()) && mentions_json(entry.path()))
                users.insert(fs::relative(entry.path(), src).replace_extension().string());
    }
    return users;
}

TEST(Floors, PlansOfResizesKnowNoMessage) {
    const auto src = fs::path(DUCTILE_SOURCE_DIR) / "src";
    for (const auto& name : planner)
        EXPECT_TRUE(std::ranges::any_of(planner_files(src), [&name](const auto& file) {
            return fs::path(file).stem() == name;
        })) << name;
    for (const auto& fault : faults_of_planner(src)) ADD_FAILURE() << fault;
}

TEST(Floors, FilesThatUseJsonSaySo) {
    const auto users = users_of_json(fs::path(DUCTILE_SOURCE_DIR) / "src");
    EXPECT_TRUE(users.contains("broker/field_json")) << "the sources were not found";
    for (const auto& user : users)
        EXPECT_TRUE(uses_json.contains(user) ||
                    std::regex_match(fs::path(user).filename().string(), named_for_json))
            << user << " uses nlohmann::json: move that to a file *_json.*";
    for (const auto& [user, why] : uses_json)
        EXPECT_TRUE(users.contains(user)) << user << " needs no exception any more";
}

TEST(Floors, HeadersLeaveLargeLibrariesOut) {
    std::set<std::string> readers;
    for (const char* folder : {"src", "cluster", "bench"})
        for (const auto& entry :
             fs::recursive_directory_iterator(fs::path(DUCTILE_SOURCE_DIR) / folder))
            if (entry.path().extension() == ".hpp")
                for (const auto& header : included_by(entry.path()))
                    if (long_to_read.contains(header))
                        readers.insert(fs::relative(entry.path(), DUCTILE_SOURCE_DIR).string());
    for (const auto& reader : readers)
        EXPECT_TRUE(needs_whole_library.contains(reader))
            << reader << " includes a large library, which each file that includes it reads, too";
    for (const auto& [reader, why] : needs_whole_library)
        EXPECT_TRUE(readers.contains(reader)) << reader << " needs no exception any more";
}

TEST(Floors, NothingReachesUpwards) {
    const auto reading = read_tree(DUCTILE_SOURCE_DIR);
    EXPECT_GE(reading.sources, 15) << "the sources were not found";
    for (const auto& floor : beside_src)
        EXPECT_TRUE(fs::exists(folder_of(floor, DUCTILE_SOURCE_DIR))) << floor;
    for (const auto& fault : reading.faults) ADD_FAILURE() << fault;
}

TEST(Floors, EveryFolderOfSrcIsAFloor) {
    for (const auto& entry : fs::directory_iterator(fs::path(DUCTILE_SOURCE_DIR) / "src"))
        if (entry.is_directory()) {
            EXPECT_TRUE(floor_of.contains(entry.path().filename().string())) << entry.path();
        }
}

TEST(Floors, FaultsAreSeen) {
    const struct {
        const char *own, *line, *fault;
    } table[] = {
        {"plan", "#include \"core/layout.hpp\"", ""},
        {"plan", "#include <vector>", ""},
        {"core", "#include \"ductile/error.hpp\"", ""},
        {"engine", "#include <mpi.h>", ""},
        {"cli", "#include \"report/page.hpp\"", ""},
        {"cli", "#include \"CLI/CLI.hpp\"", ""},
        {"job", "#include \"ductile/job.hpp\"", ""},
        {"cli", "#include \"ductile/options.hpp\"", ""},
        {"data", "#include \"ductile/distributed.hpp\"", ""},
        {"engine", "#include \"data/redistribute.hpp\"", ""},
        {"core", "#include \"plan/rank_order.hpp\"", "core/ may not use plan/"},
        {"plan", "  #  include <mpi/comm.hpp>", "plan/ may not use mpi/"},
        {"plan", "#include \"tree/filler.hpp\"", "plan/ may not use tree/"},
        {"wire", "#include \"mpi/comm.hpp\"", "wire/ may not use mpi/"},
        {"agent", "#include \"broker/journal.hpp\"", "agent/ may not use broker/"},
        {"report", "#include \"cli/main.hpp\"", "report/ may not use cli/"},
        {"cli", "#include \"cluster/cluster_command.hpp\"", ""},
        {"broker", "#include \"cluster/names.hpp\"", "broker/ may not use cluster/"},
        {"cluster", "#include \"cli/options.hpp\"", "cluster/ may not use cli/"},
        {"cli", "#include \"bench/common/trials.hpp\"", "cli/ may not use bench/"},
        {"broker", "#include <mpi.h>", "broker/ may not include mpi.h"},
        {"plan", "#include <fstream>", "plan/ is pure and may not include fstream"},
        {"policy", "#include <sys/socket.h>", "policy/ is pure and may not include sys/socket.h"},
        {"core", "auto t = std::chrono::steady_clock::now();", "a pure floor reads a clock"},
        {"broker", "auto t = std::chrono::steady_clock::now();", ""},
        {"data", "#include \"ductile/job.hpp\"", "data/ may not use the public face of job/"},
        {"wire", "#include \"ductile/distributed.hpp\"",
         "wire/ may not use the public face of data/"},
        {"data", "#include \"engine/join.hpp\"", "data/ may not use engine/"},
        {"plan", "#include \"../core/ids.hpp\"", "an include names its floor, not a way to it"},
    };
    for (const auto& row : table) EXPECT_EQ(fault_of(row.own, row.line), row.fault) << row.line;
    EXPECT_EQ(fault_of_link("plan", "  DEPS ductile_core fmt::fmt-header-only)"), "");
    EXPECT_EQ(fault_of_link("wire", "DEPS ductile_core ductile_asio ductile_broker)"),
              "wire/ may not link broker/");
    EXPECT_EQ(fault_of_public("#include \"ductile/error.hpp\""), "");
    EXPECT_NE(fault_of_public("#include \"core/ids.hpp\""), "");
}

fs::path folder_of_test() {
    return fs::path(testing::TempDir()) / ("floors_" + std::to_string(::getpid()));
}

TEST(Floors, APlannerIsFollowedThroughItsHeaders) {
    const auto src = folder_of_test();
    fs::create_directories(src / "broker");
    std::ofstream(src / "broker/choose_strategy.hpp") << "#include \"broker/limits.hpp\"\n";
    std::ofstream(src / "broker/limits.hpp") << "#include <nlohmann/json.hpp>\n"
                                             << "#include \"broker/choose_strategy.hpp\"\n";
    std::ofstream(src / "broker/choose_strategy.cpp") << "#include \"wire/fields.hpp\"\n";
    const auto faults = faults_of_planner(src);
    const auto users = users_of_json(src);
    fs::remove_all(src);
    EXPECT_EQ(faults,
              (std::vector<std::string>{
                  "broker/choose_strategy.hpp plans and may not reach nlohmann/json.hpp, which "
                  "broker/limits.hpp includes",
                  "broker/choose_strategy.cpp plans and may not reach wire/fields.hpp, which "
                  "broker/choose_strategy.cpp includes"}));
    EXPECT_EQ(users, (std::set<std::string>{"broker/choose_strategy", "broker/limits"}));
}

TEST(Floors, AFileIsNamedForJsonByAWordOfItsName) {
    for (const auto* name : {"json_line", "snapshot_json", "field_json", "json"})
        EXPECT_TRUE(std::regex_match(name, named_for_json)) << name;
    for (const auto* name : {"jsonish", "snapshot", "ajson_x"})
        EXPECT_FALSE(std::regex_match(name, named_for_json)) << name;
}

TEST(Floors, FaultsAreNamedByFileAndLine) {
    const auto root = folder_of_test();
    fs::create_directories(root / "src/plan/deep");
    std::ofstream(root / "src/plan/deep/a.cpp")
        << "// one\n#include \"core/ids.hpp\"\n#include \"job/job.hpp\"\n";
    const auto reading = read_tree(root);
    fs::remove_all(root);
    EXPECT_EQ(reading.sources, 1);
    EXPECT_EQ(reading.faults, std::vector<std::string>{(root / "src/plan/deep/a.cpp").string() +
                                                       ":3: plan/ may not use job/"});
}

}  // namespace
}  // namespace ductile::core::floors_test
