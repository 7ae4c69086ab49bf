#include "pmi/answers.hpp"

#include <fmt/format.h>

#include "pmi/limits.hpp"

namespace ductile::pmi::answer {

std::string init() {
    return "cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0";
}

std::string maxes() {
    return fmt::format("cmd=maxes kvsname_max={} keylen_max={} vallen_max={} rc=0",
                       limits::kvsname_bytes, limits::key_bytes, limits::value_bytes);
}

std::string universe_size(int size) {
    return fmt::format("cmd=universe_size size={} rc=0", size);
}

std::string appnum(int appnum) {
    return fmt::format("cmd=appnum appnum={} rc=0", appnum);
}

std::string my_kvsname(const KvsName& name) {
    return fmt::format("cmd=my_kvsname kvsname={} rc=0", name.text());
}

std::string put(PutResult result) {
    if (result == PutResult::stored) return "cmd=put_result rc=0 msg=success";
    return "cmd=put_result rc=1 msg=reserved_key";
}

std::string get(const std::optional<std::string_view>& value) {
    if (value) return fmt::format("cmd=get_result rc=0 msg=success value={}", *value);
    return "cmd=get_result rc=-1 msg=key_not_found value=unknown";
}

std::string barrier() {
    return "cmd=barrier_out rc=0";
}

std::string finalize() {
    return "cmd=finalize_ack rc=0";
}

std::string publish(NameResult result) {
    if (result == NameResult::done) return "cmd=publish_result rc=0 msg=success";
    return "cmd=publish_result rc=1 msg=service_already_published";
}

std::string unpublish(NameResult result) {
    if (result == NameResult::done) return "cmd=unpublish_result rc=0 msg=success";
    return "cmd=unpublish_result rc=1 msg=service_not_found";
}

std::string lookup(const std::optional<std::string_view>& port) {
    if (port) return fmt::format("cmd=lookup_result rc=0 port={}", *port);
    return "cmd=lookup_result rc=1 msg=service_not_found";
}

std::string spawn(SpawnResult result, int ranks) {
    const bool started = result == SpawnResult::started;
    std::string line = fmt::format("cmd=spawn_result rc={} errcodes=", started ? 0 : -1);
    for (int i = 0; i < ranks; ++i) {
        if (i > 0) line += ',';
        line += started ? '0' : '1';
    }
    return line;
}

}  // namespace ductile::pmi::answer
