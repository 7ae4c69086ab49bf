#include "mpi/capabilities.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>

#include "core/contract.hpp"

namespace ductile::mpi {
namespace {

constexpr std::string_view install_hint =
    "install MPICH 5.0.2 (pip install mpich==5.0.2, or ./scripts/setup)";

/// The text after `key`, up to the end of its line, without blanks around it.
std::string value_after(std::string_view text, std::string_view key) {
    const auto at = text.find(key);
    if (at == std::string_view::npos) return {};
    auto value = text.substr(at + key.size());
    value = value.substr(0, value.find_first_of("\r\n"));
    const auto first = value.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return std::string(value.substr(first, value.find_last_not_of(" \t") - first + 1));
}

/// The first word of `text` that looks like a version: digits, a dot, digits. "v4.1.8," gives
/// "4.1.8".
std::string first_version(std::string_view text) {
    const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!digit(text[i])) continue;
        std::size_t end = i;
        while (end < text.size() && (digit(text[end]) || text[end] == '.')) ++end;
        auto word = text.substr(i, end - i);
        while (word.back() == '.') word.remove_suffix(1);
        if (word.find('.') != std::string_view::npos) return std::string(word);
        i = end;
    }
    return {};
}

/// Major and minor number of "5.0.2". A missing number is 0.
std::array<int, 2> major_minor(std::string_view version) {
    std::array<int, 2> numbers{};
    const char* at = version.data();
    const char* end = at + version.size();
    for (int& number : numbers) {
        const auto [next, error] = std::from_chars(at, end, number);
        if (error != std::errc{}) break;
        at = next == end ? end : next + 1;
    }
    return numbers;
}

/// MPICH's device from "MPICH Device: ch4:ucx ofi" or from configure's "--with-device=ch4:ucx,ofi".
std::string mpich_device(std::string_view text) {
    std::string device = value_after(text, "MPICH Device:");
    if (device.empty()) {
        device = value_after(text, "--with-device=");
        device = device.substr(0, device.find_first_of(" '\""));
    }
    std::replace(device.begin(), device.end(), ',', ' ');
    return device;
}

Capabilities named(std::string implementation, std::string version) {
    Capabilities can;
    can.implementation = std::move(implementation);
    can.version = std::move(version);
    return can;
}

Capabilities mpich(std::string version, std::string device) {
    Capabilities can = named("MPICH", std::move(version));
    can.device = std::move(device);
    const auto number = major_minor(can.version);
    const bool has_ofi = can.device.find("ofi") != std::string::npos;
    const bool has_ucx = can.device.find("ucx") != std::string::npos;
    const bool is_ch3 = can.device.starts_with("ch3");

    can.speaks_pmi1 = true;
    can.max_ports = 2048;
    can.shared_cores_environment = {{"MPIR_CVAR_ENABLE_HEAVY_YIELD", "1"}};
    if (number[0] >= 5) {
        can.max_worlds_in_life = 1023;
        can.max_worlds_in_communicator = 100;
    }
    if (has_ofi) {
        can.environment = {{"MPICH_CH4_NETMOD", "ofi"}};
        // UCX is loaded nevertheless, and patches its memory hooks into each process. This takes
        // half of the time of MPI_Init.
        if (has_ucx) can.environment["UCX_MEM_MMAP_HOOK_MODE"] = "none";
        // docs/decisions/0003: with `sockets` a peer's death is fatal, and bare `tcp` sometimes
        // hangs. The sizes make MPI_Init cheaper (by default it fills tens of MB). The interval (in
        // us) makes connections faster: by default they take steps of 10 ms.
        can.plain_network_environment = {{"FI_PROVIDER", "tcp;ofi_rxm"},
                                         {"FI_OFI_RXM_BUFFER_SIZE", "2048"},
                                         {"FI_OFI_RXM_MSG_RX_SIZE", "64"},
                                         {"FI_OFI_RXM_MSG_TX_SIZE", "64"},
                                         {"FI_OFI_RXM_CM_PROGRESS_INTERVAL", "0"},
                                         {"FI_OFI_RXM_CQ_EQ_FAIRNESS", "1"},
                                         {"FI_TCP_MAX_RX_SIZE", "256"}};
    }

    if (number[0] < 4) {
        can.refused = "it is older than 4.0; " + std::string(install_hint);
        return can;
    }
    if (has_ucx && !has_ofi) {
        can.spawn = number >= std::array{4, 3};
        can.refused = "it has only the device " + can.device +
                      (can.spawn ? ", which cannot open ports; " : ", which cannot spawn; ") +
                      std::string(install_hint);
        return can;
    }
    can.spawn = can.spawn_counts_by_host = can.open_port = can.independent_connect = true;
    can.parallel_spawn = can.spawn_blocks_threads = true;
    can.introduces_strangers = !is_ch3;
    can.locks_between_worlds = !is_ch3 && number >= std::array{4, 3};
    can.survives_newcomer_death = !is_ch3 && number >= std::array{4, 1};
    if (is_ch3)
        can.refused = "its device " + can.device +
                      " cannot join groups that do not know each other (MPI_Intercomm_create); " +
                      std::string(install_hint);
    if (number == std::array{4, 2})
        can.refused = "its hydra dies after some spawns; " + std::string(install_hint);
    return can;
}

Capabilities intel_mpi(std::string version) {
    Capabilities can = named("Intel MPI", std::move(version));
    can.speaks_pmi1 = true;
    can.spawn = can.open_port = can.independent_connect = can.introduces_strangers = true;
    can.parallel_spawn = can.spawn_blocks_threads = true;
    // Over shared memory a first message between worlds on one machine takes seconds or hangs. Each
    // world binds its ranks as if it had the host for itself. So the ranks of several worlds share
    // the same cores. If two ranks poll on one core, one of them gets no time for seconds, and
    // joins fail.
    can.environment = {{"I_MPI_SPAWN", "on"}, {"I_MPI_FABRICS", "ofi"}, {"I_MPI_PIN", "off"}};
    can.shared_cores_environment = {{"I_MPI_THREAD_YIELD", "3"}};  // sched_yield is not enough
    can.plain_network_environment = {{"I_MPI_OFI_PROVIDER", "tcp"}, {"FI_PROVIDER", "tcp"}};
    // MPI_Finalize waits for all ranks of its world, and for all ranks that connected to it
    // (docs/decisions/0014).
    can.finalises = false;
    can.port_needs_ipv4 = true;
    can.prefix_environment = {{"I_MPI_ROOT", ""}, {"FI_PROVIDER_PATH", "lib"}};
    return can;
}

// Ductile names the program that starts the orte daemons. No daemon detaches or looks up a host.
// Each has its own folder for its files: otherwise several daemons on one machine remove the files
// of each other. A rank that leaves or dies ends without MPI_Finalize, and the broker decides what
// that means.
Capabilities open_mpi_4_1(Capabilities can) {
    can.spawn = can.spawn_counts_by_host = can.open_port = can.introduces_strangers = true;
    can.spawn_hosts = SpawnHosts::by_entry;
    can.keeps_daemons = true;
    // A new daemon learns only of the worlds that take part in the spawn, and not of other worlds
    // (docs/decisions/0006).
    can.spawn_hides_other_worlds = true;
    can.finalises = false;  // MPI_Finalize waits for all processes that were ever connected
    can.launcher = {{"--noprefix", "--mca", "plm_rsh_agent", "{remote}", "--mca",
                     "orte_launch_agent", "{folder}/orted"},
                    {"--host", "localhost:{ranks}", "-n", "{ranks}"},
                    {"--host", "{hosts}", "-n", "{ranks}"}};
    can.environment = {
        {"OMPI_ALLOW_RUN_AS_ROOT", "1"},
        {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
        {"OMPI_MCA_ras", "^slurm"},
        {"OMPI_MCA_plm", "rsh"},
        {"OMPI_MCA_plm_base_node_regex_threshold", "0"},
        {"OMPI_MCA_plm_rsh_no_tree_spawn", "1"},
        {"OMPI_MCA_plm_rsh_pass_environ_mca_params", "0"},
        {"OMPI_MCA_routed", "direct"},
        {"OMPI_MCA_orte_leave_session_attached", "1"},
        {"OMPI_MCA_orte_allowed_exit_without_sync", "1"},
        {"OMPI_MCA_if_base_do_not_resolve", "1"},
        {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
        {"OMPI_MCA_hwloc_base_binding_policy", "none"},
        {"OMPI_MCA_pml", "ob1"},
        {"OMPI_MCA_btl", "tcp,self"},  // vader crashes between worlds on one machine
    };
    // No shared_cores_environment: a waiting rank can only yield, which starves others for seconds.
    can.prefix_environment = {{"OPAL_PREFIX", ""}};
    can.folder_variables = {"OMPI_MCA_orte_tmpdir_base"};
    return can;
}

Capabilities open_mpi(std::string version) {
    Capabilities can = named("Open MPI", std::move(version));
    if (major_minor(can.version) == std::array{4, 1}) return open_mpi_4_1(std::move(can));
    can.refused = "it is known to fail in spawning and in connecting independent runs; " +
                  std::string(install_hint);
    can.refused_until_probed = true;
    return can;
}

}  // namespace

Capabilities known_capabilities(std::string_view text) {
    const auto says = [text](std::string_view words) { return text.find(words) != text.npos; };

    if (says("Intel(R) MPI Library"))
        return intel_mpi(first_version(text.substr(text.find("Intel(R) MPI Library"))));
    if (says("Open MPI") || says("OpenRTE") || says("Open-MPI"))
        return open_mpi(first_version(text));
    if (says("HYDRA build details"))
        return mpich(first_version(value_after(text, "Version:")), mpich_device(text));
    if (says("MPICH Version:"))
        return mpich(first_version(value_after(text, "MPICH Version:")), mpich_device(text));

    Capabilities unknown;
    unknown.refused = "it is not known to Ductile; " + std::string(install_hint);
    unknown.refused_until_probed = true;
    return unknown;
}

// An agent answers an MPI_Comm_spawn when all new ranks wait for the port of their parent. Until
// then the other threads of the calling process can use MPI (except with Intel MPI). The new ranks
// may be on several hosts: the agents tell MPI which of them share a machine.
Capabilities started_by_agents(Capabilities can) {
    DUCTILE_EXPECT(can.speaks_pmi1);
    can.agents_start_ranks = true;
    can.spawn_counts_by_host = true;
    // Over verbs, psm2 and psm3 MPI_Finalize would wait for all ranks of a world, also for ranks
    // that leave later.
    can.environment["MPIR_CVAR_NO_COLLECTIVE_FINALIZE"] = "1";
    if (can.implementation == "MPICH") can.spawn_blocks_threads = false;
    return can;
}

Capabilities in_a_job(Capabilities can) {
    return can.speaks_pmi1 ? started_by_agents(std::move(can)) : can;
}

}  // namespace ductile::mpi
