#include <array>

#include "groups/operation.hpp"

namespace ductile::groups {

namespace {

/// Segments come from one neighbour, in order, and go to all others, in order.
class Broadcast final : public RequestOperation {
  public:
    Broadcast(const OperationPlace& place, std::byte* buffer, const Segments& segments, bool root)
        : RequestOperation(place, window * (place.seat->children.size() + 2)),
          buffer_(buffer),
          segments_(segments),
          from_(root ? place.seat->self.value : MPI_ANY_SOURCE) {
        if (place.seat->parent) neighbours_.push_back(place.seat->parent->value);
        for (const auto& child : place.seat->children) neighbours_.push_back(child.id.value);
        sent_.resize(neighbours_.size());
        if (root) received_ = posted_ = segments.number();
    }

  private:
    void arrived(std::size_t place, int from) override {
        if (place >= window) return;  // sent
        from_ = from;
        here_[place] = true;
        for (auto next = slot(received_); received_ < posted_ && here_[next];
             next = slot(received_)) {
            here_[next] = false;
            ++received_;
        }
    }

    bool post() override {
        // The first segment says who has them all.
        const auto most = from_ == MPI_ANY_SOURCE ? 1 : received_ + window;
        for (; posted_ < std::min(most, segments_.number()) && free(slot(posted_)); ++posted_)
            receive(slot(posted_), segments_.at(buffer_, posted_), segments_.count_of(posted_),
                    segments_.type(), from_);
        bool all = received_ == segments_.number();
        for (std::size_t i = 0; i < neighbours_.size(); ++i) {
            if (neighbours_[i] == from_) continue;
            auto& sent = sent_[i];
            for (; sent < received_ && free(send_place(i, sent)); ++sent)
                send(send_place(i, sent), segments_.at(buffer_, sent), segments_.count_of(sent),
                     segments_.type(), neighbours_[i]);
            all = all && sent == segments_.number();
        }
        return all;
    }

    static std::size_t slot(std::int64_t segment) {
        return static_cast<std::size_t>(segment % window);
    }
    static std::size_t send_place(std::size_t neighbour, std::int64_t segment) {
        return window * (neighbour + 1) + slot(segment);
    }

    std::byte* buffer_;
    Segments segments_;
    int from_;
    std::vector<int> neighbours_;
    std::vector<std::int64_t> sent_;
    std::array<bool, window> here_{};
    std::int64_t received_ = 0;
    std::int64_t posted_ = 0;
};

}  // namespace

std::unique_ptr<Operation> start_broadcast(const OperationPlace& place, std::byte* buffer,
                                           const Segments& segments, bool root) {
    return std::make_unique<Broadcast>(place, buffer, segments, root);
}

}  // namespace ductile::groups
