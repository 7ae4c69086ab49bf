/// \file
/// Data that a job owns and that follows it over resizes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeinfo>
#include <vector>

#include "ductile/distribution.hpp"
#include "ductile/error.hpp"

namespace ductile {

class Job;

namespace detail {

class ArrayState;
class RegistryState;

/// How a replicated value is read and written; one per registration.
class DUCTILE_PUBLIC ReplicatedAccess {
  public:
    virtual ~ReplicatedAccess() = default;
    /// Bytes that stand for the value.
    [[nodiscard]] virtual std::string pack() const = 0;
    /// Whether the bytes could be a value of this type; asked before unpack.
    [[nodiscard]] virtual bool accepts(std::string_view bytes) const = 0;
    virtual void unpack(std::string_view bytes) = 0;
};

template <class T>
class TrivialAccess final : public ReplicatedAccess {
  public:
    explicit TrivialAccess(T& value) : value_(&value) {}
    [[nodiscard]] std::string pack() const override {
        return {reinterpret_cast<const char*>(value_), sizeof(T)};
    }
    [[nodiscard]] bool accepts(std::string_view bytes) const override {
        return bytes.size() == sizeof(T);
    }
    void unpack(std::string_view bytes) override {
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(value_));
    }

  private:
    T* value_;
};

/// Strings, and vectors of trivially copyable elements.
template <class Container>
class ContainerAccess final : public ReplicatedAccess {
    using T = typename Container::value_type;

  public:
    explicit ContainerAccess(Container& value) : value_(&value) {}
    [[nodiscard]] std::string pack() const override {
        return {reinterpret_cast<const char*>(value_->data()), value_->size() * sizeof(T)};
    }
    [[nodiscard]] bool accepts(std::string_view bytes) const override {
        return bytes.size() % sizeof(T) == 0;
    }
    void unpack(std::string_view bytes) override {
        value_->resize(bytes.size() / sizeof(T));
        std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char*>(value_->data()));
    }

  private:
    Container* value_;
};

template <class T>
struct IsContainer : std::false_type {};
template <>
struct IsContainer<std::string> : std::true_type {};
template <class T>
struct IsContainer<std::vector<T>>
    : std::bool_constant<std::is_trivially_copyable_v<T> && !std::is_same_v<T, bool>> {};

template <class T>
std::unique_ptr<ReplicatedAccess> access_to(T& value) {
    if constexpr (IsContainer<T>::value) {
        return std::make_unique<ContainerAccess<T>>(value);
    } else {
        static_assert(std::is_trivially_copyable_v<T>,
                      "replicated values are trivially copyable, strings or vectors of such");
        return std::make_unique<TrivialAccess<T>>(value);
    }
}

/// Several values under one name: each one's bytes after their number.
class DUCTILE_PUBLIC ListAccess final : public ReplicatedAccess {
  public:
    explicit ListAccess(std::vector<std::unique_ptr<ReplicatedAccess>> values)
        : values_(std::move(values)) {}
    [[nodiscard]] std::string pack() const override;
    [[nodiscard]] bool accepts(std::string_view bytes) const override;
    void unpack(std::string_view bytes) override;

  private:
    std::vector<std::unique_ptr<ReplicatedAccess>> values_;
};

/// A registration by name; ends it when destroyed.
class DUCTILE_PUBLIC Registration {
  public:
    Registration(std::shared_ptr<RegistryState> registry, std::string name)
        : registry_(std::move(registry)), name_(std::move(name)) {}
    Registration(Registration&& other) noexcept = default;
    Registration& operator=(Registration&& other) noexcept;
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;
    ~Registration();
    [[nodiscard]] const std::string& name() const { return name_; }

  private:
    void end() noexcept;
    std::shared_ptr<RegistryState> registry_;
    std::string name_;
};

DUCTILE_PUBLIC std::byte* array_data(const ArrayState& array);
DUCTILE_PUBLIC std::int64_t array_offset(const ArrayState& array);
DUCTILE_PUBLIC std::int64_t array_count(const ArrayState& array);
DUCTILE_PUBLIC Halo array_halo(const ArrayState& array);
DUCTILE_PUBLIC std::int64_t array_elements(const ArrayState& array);
DUCTILE_PUBLIC std::vector<Range> array_ranges(const ArrayState& array);
DUCTILE_PUBLIC int array_owner(const ArrayState& array, std::int64_t element);
DUCTILE_PUBLIC std::int64_t array_to_local(const ArrayState& array, std::int64_t element);
DUCTILE_PUBLIC std::int64_t array_to_global(const ArrayState& array, std::int64_t local);

}  // namespace detail

/// The registration of replicated values; move-only. While it lives, the variables it was made with
/// are the job's: at an expand every rank gets rank 0's values, at a shrink each keeps its own. The
/// variables must stay where they are.
template <class... T>
class Replicated {
  public:
    [[nodiscard]] const std::string& name() const { return registration_.name(); }

  private:
    friend class Job;
    explicit Replicated(detail::Registration registration)
        : registration_(std::move(registration)) {}
    detail::Registration registration_;
};

/// This rank's part of a distributed array; move-only. It holds its elements one after the other,
/// in rising order of their global index; of blocks, which a `Distribution` is unless it says
/// something else, that is one contiguous range. An element is `width` values of T: a row of a
/// grid, say.
///
/// Example: 10 elements of width 3 on 4 ranks: rank 1 has offset() 3, count() 3, local().size() 9.
/// An array that was made with a `Halo` has room for ghosts in front of the part and behind it.
/// What is there after a resize is not defined: `Job::on_rebuild` is the place to exchange them.
///
/// After `Resized::resized` everything that came from here is void and must be asked for again;
/// after any other answer it stays valid and untouched.
template <class T>
class Distributed {
  public:
    /// The part, element by element.
    [[nodiscard]] std::span<T> local() {
        return {reinterpret_cast<T*>(detail::array_data(*array_)),
                static_cast<std::size_t>(count() * width_)};
    }
    [[nodiscard]] std::span<const T> local() const {
        return {reinterpret_cast<const T*>(detail::array_data(*array_)),
                static_cast<std::size_t>(count() * width_)};
    }
    /// The part with its ghosts: halo().before elements, the part, halo().after elements.
    [[nodiscard]] std::span<T> with_halo() {
        const auto [before, after] = halo();
        return {reinterpret_cast<T*>(detail::array_data(*array_)) - before * width_,
                static_cast<std::size_t>((before + count() + after) * width_)};
    }
    /// Elements of room for ghosts.
    [[nodiscard]] Halo halo() const { return detail::array_halo(*array_); }
    [[nodiscard]] T& operator[](std::int64_t i) { return local()[static_cast<std::size_t>(i)]; }
    [[nodiscard]] const T& operator[](std::int64_t i) const {
        return local()[static_cast<std::size_t>(i)];
    }
    /// Global index of the part's first element; global_size() of an empty one.
    [[nodiscard]] std::int64_t offset() const { return detail::array_offset(*array_); }
    /// Elements in the part.
    [[nodiscard]] std::int64_t count() const { return detail::array_count(*array_); }
    /// Elements of the whole array.
    [[nodiscard]] std::int64_t global_size() const { return detail::array_elements(*array_); }
    /// The part's elements by their global index: rising, no two ranges next to each other.
    [[nodiscard]] std::vector<Range> ranges() const { return detail::array_ranges(*array_); }
    /// The rank that holds an element. Throws InputError when there is no such element.
    [[nodiscard]] int owner(std::int64_t element) const {
        return detail::array_owner(*array_, element);
    }
    /// Where this rank keeps an element, counted in elements: its values begin at
    /// local()[to_local(element) * width()]. Throws InputError when it is another rank's.
    [[nodiscard]] std::int64_t to_local(std::int64_t element) const {
        return detail::array_to_local(*array_, element);
    }
    /// The global index of an element of this part. Throws InputError when it has no such element.
    [[nodiscard]] std::int64_t to_global(std::int64_t local) const {
        return detail::array_to_global(*array_, local);
    }
    /// Values of T in one element.
    [[nodiscard]] std::int64_t width() const { return width_; }
    [[nodiscard]] const std::string& name() const { return registration_.name(); }

  private:
    friend class Job;
    Distributed(detail::Registration registration, std::shared_ptr<detail::ArrayState> array,
                std::int64_t width)
        : registration_(std::move(registration)), array_(std::move(array)), width_(width) {}
    detail::Registration registration_;
    std::shared_ptr<detail::ArrayState> array_;
    std::int64_t width_;
};

}  // namespace ductile
