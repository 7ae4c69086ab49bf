#include "sim/staged_build.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>

#include "tree/process.hpp"
#include "tree/shape.hpp"
#include "tree/tree_check.hpp"

namespace ductile::sim {
namespace {

using tree::Algorithm;
using tree::Filler;
using tree::ProcessId;

std::size_t at(ProcessId id) {
    return static_cast<std::size_t>(id.value);
}

/// The tree as the messages of the upward pass have changed it so far.
class ShrinkingTree {
  public:
    ShrinkingTree(int n, int k) {
        for (int id = 0; id < n; ++id) {
            std::vector<ProcessId> below;
            for (const auto& child : tree::position_in_job(ProcessId{id}, n, k).children)
                below.push_back(child.id);
            below_.push_back(std::move(below));
            above_.push_back(tree::parent_rank(id, k));
        }
    }

    [[nodiscard]] ProcessId root() const { return root_; }
    [[nodiscard]] const std::vector<ProcessId>& below(ProcessId id) const { return below_[at(id)]; }

    /// Puts the filler where the hole was.
    void fill(ProcessId hole, ProcessId filler, const tree::Relocation& relocation) {
        auto& left = below_[static_cast<std::size_t>(above_[at(filler)])];
        std::erase(left, filler);
        auto& below = below_[at(filler)];
        if (relocation.filling == tree::Filling::leaf) below.clear();
        for (const auto& branch : relocation.adopted) {
            below.push_back(branch.top);
            above_[at(branch.top)] = filler.value;
        }
        above_[at(filler)] = above_[at(hole)];
        if (hole == root_)
            root_ = filler;
        else
            std::ranges::replace(below_[static_cast<std::size_t>(above_[at(hole)])], hole, filler);
    }
    void drop(ProcessId hole) {
        std::erase(below_[static_cast<std::size_t>(above_[at(hole)])], hole);
    }
    template <class Key>
    void sort_children(const Key& key) {
        for (auto& below : below_) std::ranges::stable_sort(below, {}, key);
    }

  private:
    ProcessId root_{0};
    std::vector<std::vector<ProcessId>> below_;
    std::vector<int> above_;
};

class StagedRun {
  public:
    StagedRun(const tree::Method& method, const std::vector<bool>& members)
        : members_(members),
          levels_(tree::height(static_cast<int>(members.size()), method.branching)),
          fills_(method.algorithm != Algorithm::centralized && method.filler != Filler::none),
          shape_(static_cast<int>(members.size()), method.branching),
          sizes_(members.size()),
          first_ranks_(members.size(), std::numeric_limits<int>::max()),
          upwards_(static_cast<std::size_t>(levels_)),
          stages_(static_cast<std::size_t>(levels_)) {
        build_.method = method;
        build_.n = static_cast<int>(members.size());
        build_.m = static_cast<int>(std::ranges::count(members, true));
        if (build_.m == 0) throw std::invalid_argument("a group needs at least one member");
        const tree::HashFamily hashes{build_.n, 0};
        for (int id = 0; id < build_.n; ++id) {
            const auto own =
                members[at(ProcessId{id})] ? std::optional{tree::Colour{0}} : std::nullopt;
            processes_.emplace_back(
                method, tree::position_in_job(ProcessId{id}, build_.n, method.branching), own,
                hashes);
        }
    }

    StagedBuild finish() {
        add_stage(StageKind::original);
        for (int id = 0; id < build_.n; ++id) {
            processes_[at(ProcessId{id})].start(out_);
            collect(ProcessId{id});
        }
        for (int level = levels_ - 1; level >= 0; --level) {
            close(level);
            for (auto& report : std::exchange(upwards_[static_cast<std::size_t>(level)], {}))
                deliver(std::move(report));
        }
        if (!fills_) add_counted();
        while (!later_.empty()) {
            auto next = std::move(later_.front());
            later_.pop_front();
            deliver(std::move(next));
        }
        add_new_tree();
        return std::move(build_);
    }

  private:
    struct InTransit {
        ProcessId from;
        tree::Send send;
    };

    void deliver(InTransit next) {
        processes_[at(next.send.to)].on_message(next.from, std::move(next.send.message), out_);
        collect(next.send.to);
    }

    /// Takes the messages that a process has just sent. Reports are delivered when it is the turn
    /// of their level, all other messages after the upward pass.
    void collect(ProcessId from) {
        const auto level =
            static_cast<std::size_t>(tree::level_of(from.value, build_.method.branching));
        for (auto& send : out_) {
            if (tree::is_counted(send.message)) ++build_.messages;
            bool upwards = false;
            if (const auto* said = std::get_if<tree::Enrolled>(&send.message)) {
                upwards = true;
                note_report(from, *said, stages_[level]);
            } else if (const auto* roster = std::get_if<tree::Roster>(&send.message)) {
                upwards = true;
                sizes_[at(from)] = static_cast<int>(roster->members.size());
            } else if (const auto* relocation = std::get_if<tree::Relocation>(&send.message)) {
                stages_[level].filled.push_back({from, send.to, relocation->filling});
                shape_.fill(from, send.to, *relocation);
            } else if (const auto* ranks = std::get_if<tree::Ranks>(&send.message)) {
                note_ranks(from, send.to, ranks->first);
            }
            (upwards ? upwards_[level] : later_).push_back({from, std::move(send)});
        }
        out_.clear();
    }

    void note_report(ProcessId from, const tree::Enrolled& said, Stage& stage) {
        sizes_[at(from)] = tree::size_of(said.branches, tree::Colour{0});
        if (said.branches.empty()) stage.gone.push_back(from);
        for (const auto& branch : said.branches) {
            if (branch.candidates.empty()) continue;
            stage.offers.push_back({from, {}});
            for (const auto& leaf : branch.candidates)
                stage.offers.back().leaves.push_back(leaf.id);
        }
    }

    void note_ranks(ProcessId from, ProcessId to, int first) {
        if (std::ranges::count(shape_.below(from), to) != 1)
            throw std::logic_error("process " + std::to_string(from.value) + " gave ranks to " +
                                   std::to_string(to.value) + ", which was not drawn below it");
        first_ranks_[at(to)] = first;
    }

    /// All processes of this level have reported. Their messages say how the holes were filled.
    void close(int level) {
        auto& stage = stages_[static_cast<std::size_t>(level)];
        if (!fills_ || (stage.filled.empty() && stage.gone.empty())) return;
        for (const auto hole : stage.gone) shape_.drop(hole);
        std::ranges::sort(stage.filled, {}, &FilledHole::hole);
        std::ranges::sort(stage.gone);
        std::ranges::sort(stage.offers, {}, &Offer::by);
        stage.kind = StageKind::shrunk;
        stage.level = level;
        add_stage(std::move(stage));
    }

    void add_stage(StageKind kind) {
        Stage stage;
        stage.kind = kind;
        add_stage(std::move(stage));
    }

    void add_stage(Stage stage) {
        add_vertices(stage, shape_.root(), 0, [this](ProcessId id) { return shape_.below(id); });
        build_.stages.push_back(std::move(stage));
    }

    template <class Below>
    void add_vertices(Stage& stage, ProcessId id, int depth, const Below& below) const {
        StagedVertex vertex;
        vertex.id = id;
        vertex.depth = depth;
        vertex.member = members_[at(id)];
        if (stage.kind == StageKind::counted) vertex.size = sizes_[at(id)];
        const auto& position = processes_[at(id)].position();
        if (position && stage.kind >= StageKind::ranked) vertex.rank = position->rank;
        stage.tree.push_back(vertex);
        for (const auto child : below(id)) add_vertices(stage, child, depth + 1, below);
    }

    void add_counted() {
        sizes_.front() = build_.m;
        add_stage(StageKind::counted);
    }

    void add_new_tree() {
        std::vector<tree::TreePosition> positions;
        for (const auto& process : processes_)
            if (process.position()) positions.push_back(*process.position());
        tree::check_tree(positions);
        if (build_.method.algorithm == Algorithm::shrink_and_hash) {
            if (fills_) shape_.sort_children([this](ProcessId id) { return first_ranks_[at(id)]; });
            add_stage(StageKind::ranked);
        }
        Stage built;
        built.kind = StageKind::built;
        const auto root = std::ranges::find(positions, 0, &tree::TreePosition::rank)->self;
        add_vertices(built, root, 0, [this](ProcessId id) {
            std::vector<ProcessId> below;
            for (const auto& child : processes_[at(id)].position()->children)
                below.push_back(child.id);
            return below;
        });
        build_.stages.push_back(std::move(built));
    }

    const std::vector<bool>& members_;
    int levels_;
    bool fills_;
    StagedBuild build_;
    std::vector<tree::Process> processes_;
    tree::Outbox out_;
    ShrinkingTree shape_;
    std::vector<int> sizes_;        // members at and below each process, as it reported
    std::vector<int> first_ranks_;  // the lowest rank at and below each process
    std::vector<std::deque<InTransit>> upwards_;
    std::deque<InTransit> later_;
    std::vector<Stage> stages_;  // by level
};

}  // namespace

StagedBuild build_in_stages(const tree::Method& method, const std::vector<bool>& members) {
    if (members.empty()) throw std::invalid_argument("a group needs at least one member");
    return StagedRun{method, members}.finish();
}

}  // namespace ductile::sim
