#include "report/timeline.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>

#include "ductile/error.hpp"

namespace ductile::report {

namespace {

using Json = nlohmann::json;

// nlohmann's own conversion accepts a fraction or a number beyond the type's bounds, and changes
// its value.
template <class Number = int>
Number whole(const Json& value, const std::string& name) {
    if (!value.is_number_integer()) throw InputError(name + " is not a whole number");
    const bool beyond = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
    const auto number = value.get<std::int64_t>();
    if (beyond || !std::in_range<Number>(number)) throw InputError(name + " is out of bounds");
    return static_cast<Number>(number);
}

template <class Number = int>
Number whole_at(const Json& record, const char* key) {
    return whole<Number>(record.at(key), key);
}

Resize read_resize(const Json& record, double at_s) {
    Resize resize;
    resize.at_s = at_s;
    resize.from = whole_at(record, "from");
    resize.to = whole_at(record, "to");
    resize.hosts_before = record.at("hosts_before");
    resize.hosts_after = record.at("hosts_after");
    resize.kind = record.at("kind");
    resize.outcome = record.at("outcome");
    resize.since_accepted_s = record.at("since_accepted_s");
    resize.total_s = record.at("total_s");
    resize.stall_s = record.at("stall_s");
    resize.vote_s = record.at("vote_s");
    resize.join_s = record.at("join_s");
    resize.redistribute_s = record.at("redistribute_s");
    resize.commit_s = record.at("commit_s");
    resize.rebuild_s = record.value("rebuild_s", 0.0);
    if (record.contains("bytes_sent"))
        resize.bytes_sent = whole_at<std::int64_t>(record, "bytes_sent");
    return resize;
}

// Reads the records one after the other.
class Reader {
  public:
    void read(const Json& record) {
        const std::string event = record.at("event");
        const double time_s = record.at("time_s");
        if (event == "job_started") {
            start(record, time_s);
            return;
        }
        if (!started_) throw InputError("the first record is not job_started");
        const double at_s = time_s - start_s_;
        if (event == "job_running") {
            timeline_.running_at_s = at_s;
        } else if (event == "pace") {
            timeline_.paces.push_back({at_s, whole_at<std::int64_t>(record, "points"),
                                       record.at("clock_s"), whole_at(record, "ranks")});
        } else if (event == "resize") {
            timeline_.resizes.push_back(read_resize(record, at_s));
        } else if (event == "host_free") {
            timeline_.freed.push_back({at_s, record.at("host")});
        } else if (event == "job_ended") {
            timeline_.ended = true;
            timeline_.exit_code = whole_at(record, "code");
        } else if (event == "check") {
            timeline_.checks.push_back({record.at("name"), record.at("ok"), record.at("text")});
            return;  // a check is made after the end of the job
        } else if (event == "machine") {
            for (const auto& [what, value] : record.at("values").items())
                timeline_.machine.emplace_back(what, value);
            return;
        }
        timeline_.ended_at_s = at_s;
    }

    Timeline finish() {
        if (!started_) throw InputError("there is no job_started record");
        return std::move(timeline_);
    }

  private:
    void start(const Json& record, double time_s) {
        started_ = true;
        start_s_ = time_s;
        timeline_.job = record.at("job");
        timeline_.mpi = record.at("mpi");
        timeline_.hosts_from = record.at("rms");
        timeline_.program = record.at("program").get<std::vector<std::string>>();
        timeline_.ranks = whole_at(record, "ranks");
        timeline_.hosts = whole_at(record, "hosts");
    }

    Timeline timeline_;
    bool started_ = false;
    double start_s_ = 0;
};

}  // namespace

Timeline read_timeline(std::istream& records) {
    Reader reader;
    std::string line;
    for (int number = 1; std::getline(records, line); ++number) {
        const bool complete = !records.eof();
        if (line.empty()) continue;
        const auto place = "line " + std::to_string(number);
        try {
            reader.read(Json::parse(line));
        } catch (const InputError& error) {
            throw InputError(place + ": " + error.what());
        } catch (const Json::exception& error) {
            if (!complete) break;  // the last line is still being written
            throw InputError(place + " is no event record: " + error.what());
        }
    }
    return reader.finish();
}

}  // namespace ductile::report
