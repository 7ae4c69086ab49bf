// The messages on their way in a simulated network, in the order of their arrival.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace ductile::sim {

/// A priority queue, sorted by time, then by order of insertion. Messages are stored beside the
/// heap and do not move, so the heap moves only small entries.
template <class Message>
class MessageQueue {
  public:
    struct Arrival {
        double time_us = 0;
        int from = 0;
        int to = 0;
        Message message;
    };

    void push(Arrival arrival) {
        std::uint32_t place = 0;
        if (free_.empty()) {
            place = static_cast<std::uint32_t>(stored_.size());
            stored_.push_back(std::move(arrival));
        } else {
            place = free_.back();
            free_.pop_back();
            stored_[place] = std::move(arrival);
        }
        heap_.push_back({stored_[place].time_us, next_++, place});
        std::ranges::push_heap(heap_, later);
    }

    [[nodiscard]] bool empty() const { return heap_.empty(); }

    Arrival pop() {
        std::ranges::pop_heap(heap_, later);
        const auto place = heap_.back().place;
        heap_.pop_back();
        free_.push_back(place);
        return std::move(stored_[place]);
    }

  private:
    struct Entry {
        double time_us;
        std::uint64_t order;
        std::uint32_t place;
    };
    static bool later(const Entry& a, const Entry& b) {
        return a.time_us != b.time_us ? a.time_us > b.time_us : a.order > b.order;
    }

    std::vector<Entry> heap_;
    std::vector<Arrival> stored_;
    std::vector<std::uint32_t> free_;
    std::uint64_t next_ = 0;
};

}  // namespace ductile::sim
