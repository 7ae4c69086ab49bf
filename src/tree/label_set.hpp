// The set of labels in use, with one bit for each label.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ductile::tree {

/// Labels are numbers from 1 on that distinguish the live groups of a process (0 is never given).
/// The set is stored as words, the lowest labels first, so that it can be sent without conversion.
class LabelSet {
  public:
    void insert(int label) {
        const auto word = static_cast<std::size_t>(label) / bits;
        if (words_.size() <= word) words_.resize(word + 1);
        words_[word] |= mask(label);
    }
    void erase(int label) {
        const auto word = static_cast<std::size_t>(label) / bits;
        if (word >= words_.size()) return;
        words_[word] &= ~mask(label);
        while (!words_.empty() && words_.back() == 0) words_.pop_back();
    }
    void merge(const LabelSet& other) {
        if (words_.size() < other.words_.size()) words_.resize(other.words_.size());
        for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
    }
    /// The lowest label that is not in the set.
    [[nodiscard]] int lowest_free() const {
        for (std::size_t word = 0; word < words_.size(); ++word) {
            const auto used = static_cast<std::uint32_t>(words_[word]) | (word == 0 ? 1U : 0U);
            if (used != ~0U) return static_cast<int>(word * bits) + std::countr_one(used);
        }
        return words_.empty() ? 1 : static_cast<int>(words_.size() * bits);
    }
    [[nodiscard]] std::size_t heap_bytes() const { return words_.capacity() * sizeof(words_[0]); }

    bool operator==(const LabelSet&) const = default;
    template <class Archive>
    void fields(Archive& a) {
        a(words_);
    }

  private:
    static constexpr std::size_t bits = 32;
    static std::int32_t mask(int label) {
        return static_cast<std::int32_t>(1U << (static_cast<std::size_t>(label) % bits));
    }
    std::vector<std::int32_t> words_;
};

}  // namespace ductile::tree
