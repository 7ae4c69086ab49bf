/// \file
/// Records that each belong to one rank, their owner. Examples: particles, nodes of a tree.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "ductile/registration.hpp"

namespace ductile {

class Job;

namespace detail {

/// How records are read and written; one per registration.
class DUCTILE_PUBLIC RecordsAccess {
  public:
    virtual ~RecordsAccess() = default;
    [[nodiscard]] virtual std::int64_t count() const = 0;
    /// The rank of `ranks` that record i belongs to.
    [[nodiscard]] virtual int owner(std::int64_t i, int ranks) const = 0;
    /// The length of the packed record i: 1 for a T; in bytes for records that differ in length.
    [[nodiscard]] virtual std::int64_t length(std::int64_t /*i*/) const { return 1; }
    /// Writes record i in its packed form.
    virtual void pack(std::int64_t i, std::byte* to) const = 0;
    /// Replaces the rank's records by these records, which lie packed, one after the other.
    virtual void assign(std::span<const std::byte> bytes) = 0;
};

template <class T, class Owner>
class VectorOfRecords final : public RecordsAccess {
    static_assert(std::is_trivially_copyable_v<T>, "records are trivially copyable");

  public:
    VectorOfRecords(std::vector<T>& records, Owner owned_by)
        : records_(&records), owner_(std::move(owned_by)) {}
    [[nodiscard]] std::int64_t count() const override {
        return static_cast<std::int64_t>(records_->size());
    }
    [[nodiscard]] int owner(std::int64_t i, int ranks) const override {
        return owner_((*records_)[static_cast<std::size_t>(i)], ranks);
    }
    void pack(std::int64_t i, std::byte* to) const override {
        std::memcpy(to, &(*records_)[static_cast<std::size_t>(i)], sizeof(T));
    }
    void assign(std::span<const std::byte> bytes) override {
        records_->resize(bytes.size() / sizeof(T));
        records_->shrink_to_fit();
        std::ranges::copy(bytes, reinterpret_cast<std::byte*>(records_->data()));
    }

  private:
    std::vector<T>* records_;
    Owner owner_;
};

/// Records that differ in length. A packed record is its number of values, then the values.
template <class T, class Owner>
class VectorOfLists final : public RecordsAccess {
    static_assert(std::is_trivially_copyable_v<T>, "the values of records are trivially copyable");
    static_assert(!std::is_same_v<T, bool>, "a std::vector<bool> has no array of values");

  public:
    VectorOfLists(std::vector<std::vector<T>>& records, Owner owned_by)
        : records_(&records), owner_(std::move(owned_by)) {}
    [[nodiscard]] std::int64_t count() const override {
        return static_cast<std::int64_t>(records_->size());
    }
    [[nodiscard]] int owner(std::int64_t i, int ranks) const override {
        return owner_(at(i), ranks);
    }
    [[nodiscard]] std::int64_t length(std::int64_t i) const override {
        return static_cast<std::int64_t>(sizeof(std::uint64_t) + at(i).size() * sizeof(T));
    }
    void pack(std::int64_t i, std::byte* to) const override {
        const std::uint64_t values = at(i).size();
        std::memcpy(to, &values, sizeof(values));
        std::ranges::copy(std::as_bytes(std::span(at(i))), to + sizeof(values));
    }
    void assign(std::span<const std::byte> bytes) override {
        std::vector<std::vector<T>> arrived;
        while (!bytes.empty()) {
            std::uint64_t values = 0;
            std::memcpy(&values, bytes.data(), sizeof(values));
            bytes = bytes.subspan(sizeof(values));
            auto& record = arrived.emplace_back(values);
            const auto size = values * sizeof(T);
            std::ranges::copy(bytes.first(size), reinterpret_cast<std::byte*>(record.data()));
            bytes = bytes.subspan(size);
        }
        *records_ = std::move(arrived);
    }

  private:
    [[nodiscard]] const std::vector<T>& at(std::int64_t i) const {
        return (*records_)[static_cast<std::size_t>(i)];
    }
    std::vector<std::vector<T>>* records_;
    Owner owner_;
};

}  // namespace detail

/// The registration of a rank's records; move-only. While this object lives, the job moves the
/// records of the vector that it was made with. That vector object must stay at its place.
template <class T>
class Records {
  public:
    /// The name under which the records are registered.
    [[nodiscard]] const std::string& name() const { return registration_.name(); }

  private:
    friend class Job;
    explicit Records(detail::Registration registration) : registration_(std::move(registration)) {}
    detail::Registration registration_;
};

}  // namespace ductile
