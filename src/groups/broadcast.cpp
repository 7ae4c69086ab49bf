#include "groups/operation.hpp"
#include "groups/segment_window.hpp"

namespace ductile::groups {

namespace {

/// Segments come from one neighbour in order, and go to all other neighbours in order.
class Broadcast final : public RequestOperation {
  public:
    Broadcast(const OperationPlace& place, std::byte* buffer, const Segments& segments, bool root)
        : RequestOperation(place, window * (place.position->children.size() + 2)),
          buffer_(buffer),
          segments_(segments),
          from_(root ? place.position->self.value : MPI_ANY_SOURCE) {
        if (place.position->parent) neighbours_.push_back(place.position->parent->value);
        for (const auto& child : place.position->children) neighbours_.push_back(child.id.value);
        sent_.resize(neighbours_.size());
        if (root) here_ = SegmentWindow(segments.number());
    }

  private:
    void arrived(std::size_t place, int from) override {
        if (place >= window) return;  // a send is complete
        from_ = from;
        here_.end(place);
    }

    bool post() override {
        // The neighbour that sends the first segment sends all segments. Until it is known, only
        // one receive is posted, from any process.
        const auto most = from_ == MPI_ANY_SOURCE ? 1 : segments_.number();
        while (here_.begun() < most && here_.has_room()) {
            const auto s = here_.begin();
            receive(slot(s), segments_.at(buffer_, s), segments_.count_of(s), segments_.type(),
                    from_);
        }
        bool all = here_.ended() == segments_.number();
        for (std::size_t i = 0; i < neighbours_.size(); ++i) {
            if (neighbours_[i] == from_) continue;
            auto& sent = sent_[i];
            for (; sent < here_.ended() && free(send_place(i, sent)); ++sent)
                send(send_place(i, sent), segments_.at(buffer_, sent), segments_.count_of(sent),
                     segments_.type(), neighbours_[i]);
            all = all && sent == segments_.number();
        }
        return all;
    }

    static std::size_t send_place(std::size_t neighbour, std::int64_t segment) {
        return window * (neighbour + 1) + slot(segment);
    }

    std::byte* buffer_;
    Segments segments_;
    int from_;
    std::vector<int> neighbours_;
    std::vector<std::int64_t> sent_;
    SegmentWindow here_;  // the segments that are here
};

}  // namespace

std::unique_ptr<Operation> start_broadcast(const OperationPlace& place, std::byte* buffer,
                                           const Segments& segments, bool root) {
    return std::make_unique<Broadcast>(place, buffer, segments, root);
}

}  // namespace ductile::groups
