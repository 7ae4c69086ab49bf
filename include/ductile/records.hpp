/// \file
/// Records, any number on each rank, that each say which rank they belong to: particles, trees.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
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
    /// All records, one after the other.
    [[nodiscard]] virtual std::span<const std::byte> bytes() const = 0;
    [[nodiscard]] virtual std::int64_t count() const = 0;
    /// The rank of `ranks` that record i belongs to.
    [[nodiscard]] virtual int owner(std::int64_t i, int ranks) const = 0;
    /// The rank's records are these from now on.
    virtual void assign(std::span<const std::byte> bytes) = 0;
};

template <class T, class Owner>
class VectorOfRecords final : public RecordsAccess {
    static_assert(std::is_trivially_copyable_v<T>, "records are trivially copyable");

  public:
    VectorOfRecords(std::vector<T>& records, Owner owned_by)
        : records_(&records), owner_(std::move(owned_by)) {}
    [[nodiscard]] std::span<const std::byte> bytes() const override {
        return std::as_bytes(std::span(*records_));
    }
    [[nodiscard]] std::int64_t count() const override {
        return static_cast<std::int64_t>(records_->size());
    }
    [[nodiscard]] int owner(std::int64_t i, int ranks) const override {
        return owner_((*records_)[static_cast<std::size_t>(i)], ranks);
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

}  // namespace detail

/// The registration of a rank's records; move-only. While it lives, the vector it was made with is
/// the job's and must stay where it is.
template <class T>
class Records {
  public:
    [[nodiscard]] const std::string& name() const { return registration_.name(); }

  private:
    friend class Job;
    explicit Records(detail::Registration registration) : registration_(std::move(registration)) {}
    detail::Registration registration_;
};

}  // namespace ductile
