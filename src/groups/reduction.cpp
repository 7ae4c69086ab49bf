#include "groups/operation.hpp"
#include "groups/reduction_schedule.hpp"
#include "mpi/check.hpp"

namespace ductile::groups {

namespace {

/// A ring of buffers for segments, one after the other.
class Ring {
  public:
    Ring() = default;
    Ring(const Segments& segments, std::size_t buffers)
        : offset_((segments.lower_bound() % alignment + alignment) % alignment -
                  segments.lower_bound()),
          bytes_((segments.bytes_of(segments.most()) + 2 * alignment - 1) / alignment * alignment),
          memory_(bytes_ * buffers) {}
    /// The address of the first element of a buffer, aligned as in an array of its type.
    std::byte* at(std::size_t buffer) { return memory_.data() + buffer * bytes_ + offset_; }

  private:
    static constexpr std::ptrdiff_t alignment = alignof(std::max_align_t);
    std::ptrdiff_t offset_ = 0;
    std::size_t bytes_ = 0;
    std::vector<std::byte> memory_;
};

/// The data of a reduction in the memory of this process.
class ReductionMemory {
  public:
    ReductionMemory(const std::byte* in, std::byte* out, const Segments& segments,
                    const ReductionRole& role)
        : in_(in),
          out_(out),
          segments_(segments),
          in_place_(static_cast<const void*>(in) == MPI_IN_PLACE),
          keeps_all_(role.comes_down || !role.has_parent),
          parts_(segments, window * role.children) {
        if (!keeps_all_ && role.children > 0) sums_ = Ring(segments, window);
    }

    [[nodiscard]] const Segments& segments() const { return segments_; }
    /// This process's own part of a segment.
    [[nodiscard]] const std::byte* own(std::int64_t s) const {
        return segments_.at(in_place_ ? static_cast<const std::byte*>(out_) : in_, s);
    }
    /// The part of a child.
    std::byte* part(std::size_t child, std::int64_t s) {
        return parts_.at(window * child + slot(s));
    }
    std::byte* sum(std::int64_t s) { return keeps_all_ ? result(s) : sums_.at(slot(s)); }
    std::byte* result(std::int64_t s) { return segments_.at(out_, s); }
    /// Whether this process's part must first be copied to the place where the sum is computed.
    [[nodiscard]] bool sum_is_elsewhere() const { return !in_place_ || !keeps_all_; }

  private:
    const std::byte* in_;
    std::byte* out_;
    Segments segments_;
    bool in_place_;
    bool keeps_all_;
    Ring parts_;
    Ring sums_;
};

ReductionRole role_in(const tree::TreePosition& position, ResultAt result) {
    return {position.children.size(), position.parent.has_value(), result == ResultAt::all};
}

/// Carries out the steps of the schedule.
class Reduction final : public RequestOperation {
  public:
    Reduction(const OperationPlace& place, const std::byte* in, std::byte* out,
              const Segments& segments, MPI_Op op, ResultAt result)
        : RequestOperation(place, ReductionSchedule::places(place.position->children.size())),
          schedule_(role_in(*place.position, result), segments.number()),
          memory_(in, out, segments, role_in(*place.position, result)),
          op_(op) {
        for (const auto& child : place.position->children) children_.push_back(child.id.value);
        if (place.position->parent) parent_ = place.position->parent->value;
    }

  private:
    using Kind = ReductionStep::Kind;

    void arrived(std::size_t place, int) override { schedule_.completed(place); }
    bool post() override {
        while (const auto step = schedule_.next()) carry_out(*step);
        return schedule_.has_begun_all();
    }

    void carry_out(const ReductionStep& step) {
        const auto s = step.segment;
        switch (step.kind) {
            case Kind::receive_part:
                return receive_into(step, memory_.part(step.child, s), children_[step.child]);
            case Kind::add_up:
                return add_up(s);
            case Kind::send_up:
                return send_from(step, adds() ? memory_.sum(s) : memory_.own(s), parent_);
            case Kind::receive_result:
                return receive_into(step, memory_.result(s), parent_);
            case Kind::pass_down:
                return send_from(step, memory_.result(s), children_[step.child]);
        }
    }
    void receive_into(const ReductionStep& step, std::byte* memory, int from) {
        const auto& segments = memory_.segments();
        receive(schedule_.place_of(step), memory, segments.count_of(step.segment), segments.type(),
                from);
    }
    void send_from(const ReductionStep& step, const std::byte* memory, int to) {
        const auto& segments = memory_.segments();
        send(schedule_.place_of(step), memory, segments.count_of(step.segment), segments.type(),
             to);
    }

    /// Whether this process computes sums. A leaf sends its own part.
    [[nodiscard]] bool adds() const { return !children_.empty() || parent_ < 0; }
    void add_up(std::int64_t s) {
        const auto& segments = memory_.segments();
        const int count = segments.count_of(s);
        if (count == 0 || !adds()) return;
        auto* total = memory_.sum(s);
        if (memory_.sum_is_elsewhere()) copy(memory_.own(s), total, count, segments);
        for (std::size_t child = 0; child < children_.size(); ++child)
            mpi::check(MPI_Reduce_local(memory_.part(child, s), total, count, segments.type(), op_),
                       "MPI_Reduce_local");
    }

    ReductionSchedule schedule_;
    ReductionMemory memory_;
    MPI_Op op_;
    std::vector<int> children_;
    int parent_ = -1;
};

}  // namespace

std::unique_ptr<Operation> start_reduction(const OperationPlace& place, const std::byte* in,
                                           std::byte* out, const Segments& segments, MPI_Op op,
                                           ResultAt result) {
    return std::make_unique<Reduction>(place, in, out, segments, op, result);
}

}  // namespace ductile::groups
