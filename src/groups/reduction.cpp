#include <array>

#include "groups/operation.hpp"
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
    /// Where the first element of a buffer is: aligned as it would be in an array of its type.
    std::byte* at(std::size_t buffer) { return memory_.data() + buffer * bytes_ + offset_; }

  private:
    static constexpr std::ptrdiff_t alignment = alignof(std::max_align_t);
    std::ptrdiff_t offset_ = 0;
    std::size_t bytes_ = 0;
    std::vector<std::byte> memory_;
};

/// Places for requests: from each child, to the parent, from the parent, to each child; a window
/// each.
class Reduction final : public RequestOperation {
  public:
    Reduction(const OperationPlace& place, const std::byte* in, std::byte* out,
              const Segments& segments, MPI_Op op, ResultAt result)
        : RequestOperation(place, window * (2 * place.seat->children.size() + 2)),
          in_(in),
          out_(out),
          segments_(segments),
          op_(op),
          in_place_(static_cast<const void*>(in) == MPI_IN_PLACE),
          down_(result == ResultAt::all),
          children_(place.seat->children.size()),
          parts_(segments, window * children_) {
        for (const auto& child : place.seat->children) ids_.push_back(child.id.value);
        if (place.seat->parent) parent_ = place.seat->parent->value;
        keeps_all_ = down_ || !has_parent();
        if (!keeps_all_ && children_ > 0) sums_ = Ring(segments, window);
        passed_.resize(children_);
    }

  private:
    [[nodiscard]] bool has_parent() const { return parent_ >= 0; }
    /// A leaf sends what it has.
    [[nodiscard]] bool adds() const { return children_ > 0 || !has_parent(); }
    static std::size_t slot(std::int64_t segment) {
        return static_cast<std::size_t>(segment % window);
    }
    [[nodiscard]] std::size_t part_place(std::size_t child, std::int64_t s) const {
        return window * child + slot(s);
    }
    [[nodiscard]] std::size_t up_place(std::int64_t s) const {
        return window * children_ + slot(s);
    }
    [[nodiscard]] std::size_t down_place(std::int64_t s) const {
        return window * (children_ + 1) + slot(s);
    }
    [[nodiscard]] std::size_t pass_place(std::size_t child, std::int64_t s) const {
        return window * (children_ + 2 + child) + slot(s);
    }

    /// This process's own part of a segment.
    [[nodiscard]] const std::byte* own(std::int64_t s) const {
        return segments_.at(in_place_ ? static_cast<const std::byte*>(out_) : in_, s);
    }
    std::byte* sum(std::int64_t s) {
        return keeps_all_ ? segments_.at(out_, s) : sums_.at(slot(s));
    }

    void arrived(std::size_t place, int) override {
        if (place < window * children_) {
            ++here_[place % window];
        } else if (place < window * (children_ + 1)) {
            advance(gone_here_, place, gone_up_, up_);
        } else if (place < window * (children_ + 2)) {
            advance(down_here_, place, came_down_, down_posted_);
        }
    }

    /// Completions may come out of order; what counts is how far all are there.
    static void advance(std::array<bool, window>& here, std::size_t place, std::int64_t& done,
                        std::int64_t posted) {
        here[place % window] = true;
        for (; done < posted && here[slot(done)]; ++done) here[slot(done)] = false;
    }

    bool post() override {
        while (combine_next() || send_up_next()) {
        }
        post_parts();
        const auto number = segments_.number();
        if (has_parent()) {
            if (up_ < number) return false;
            if (!down_) return true;
        } else {
            came_down_ = combined_;
        }
        if (!down_) return combined_ == number;
        return go_down();
    }

    void post_parts() {
        for (; asked_ < std::min(combined_ + window, segments_.number()); ++asked_)
            for (std::size_t child = 0; child < children_; ++child)
                receive(part_place(child, asked_), parts_.at(window * child + slot(asked_)),
                        segments_.count_of(asked_), segments_.type(), ids_[child]);
    }

    /// Adds a segment up once all children's parts are there.
    bool combine_next() {
        if (combined_ == segments_.number()) return false;
        if (children_ > 0 &&
            (combined_ == asked_ || here_[slot(combined_)] < static_cast<int>(children_)))
            return false;
        // The sum of the segment a window ago may still be on its way up.
        if (has_parent() && (combined_ != up_ || !free(up_place(combined_)))) return false;
        if (adds()) add_up(combined_);
        here_[slot(combined_)] = 0;
        ++combined_;
        return true;
    }

    void add_up(std::int64_t s) {
        const int count = segments_.count_of(s);
        if (count == 0) return;
        auto* total = sum(s);
        if (!in_place_ || !keeps_all_) copy(own(s), total, count, segments_);
        for (std::size_t child = 0; child < children_; ++child)
            mpi::check(MPI_Reduce_local(parts_.at(window * child + slot(s)), total, count,
                                        segments_.type(), op_),
                       "MPI_Reduce_local");
    }

    bool send_up_next() {
        if (!has_parent() || up_ == combined_ || !free(up_place(up_))) return false;
        send(up_place(up_), adds() ? sum(up_) : own(up_), segments_.count_of(up_), segments_.type(),
             parent_);
        ++up_;
        return true;
    }

    bool go_down() {
        const auto number = segments_.number();
        // What came down replaces what was sent up, so that has to be away.
        for (; has_parent() && down_posted_ < std::min(gone_up_, came_down_ + window) &&
               free(down_place(down_posted_));
             ++down_posted_)
            receive(down_place(down_posted_), segments_.at(out_, down_posted_),
                    segments_.count_of(down_posted_), segments_.type(), parent_);
        bool all = came_down_ == number;
        for (std::size_t child = 0; child < children_; ++child) {
            auto& passed = passed_[child];
            for (; passed < came_down_ && free(pass_place(child, passed)); ++passed)
                send(pass_place(child, passed), segments_.at(out_, passed),
                     segments_.count_of(passed), segments_.type(), ids_[child]);
            all = all && passed == number;
        }
        return all;
    }

    const std::byte* in_;
    std::byte* out_;
    Segments segments_;
    MPI_Op op_;
    bool in_place_;
    bool down_;
    bool keeps_all_ = false;
    std::size_t children_;
    Ring parts_;
    Ring sums_;
    std::vector<int> ids_;
    int parent_ = -1;
    std::array<int, window> here_{};
    std::array<bool, window> gone_here_{};
    std::array<bool, window> down_here_{};
    std::vector<std::int64_t> passed_;  // down, to each child
    std::int64_t asked_ = 0;            // parts, of the children
    std::int64_t combined_ = 0;
    std::int64_t up_ = 0;       // sent up,
    std::int64_t gone_up_ = 0;  // and away
    std::int64_t down_posted_ = 0;
    std::int64_t came_down_ = 0;
};

}  // namespace

std::unique_ptr<Operation> start_reduction(const OperationPlace& place, const std::byte* in,
                                           std::byte* out, const Segments& segments, MPI_Op op,
                                           ResultAt result) {
    return std::make_unique<Reduction>(place, in, out, segments, op, result);
}

}  // namespace ductile::groups
