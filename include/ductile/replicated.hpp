/// \file
/// Small state that is the same on every rank.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "ductile/registration.hpp"

namespace ductile {

class Job;

namespace detail {

/// How a replicated value is read and written; one per registration.
class DUCTILE_PUBLIC ReplicatedAccess {
  public:
    virtual ~ReplicatedAccess() = default;
    /// The value as bytes.
    [[nodiscard]] virtual std::string pack() const = 0;
    /// Whether the bytes could be a value of this type. Called before unpack().
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
        static_assert(
            std::is_trivially_copyable_v<T>,
            "a replicated value is trivially copyable, a std::string, or a std::vector of "
            "trivially copyable elements");
        return std::make_unique<TrivialAccess<T>>(value);
    }
}

/// Several values under one name: for each value the number of its bytes, then the bytes.
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

}  // namespace detail

/// The registration of replicated values; move-only. While this object lives, the job replicates
/// the variables: at a growth every rank gets the values of rank 0; at a shrink each rank keeps its
/// own. The variables must stay at their place.
template <class... T>
class Replicated {
  public:
    /// The name under which the values are registered.
    [[nodiscard]] const std::string& name() const { return registration_.name(); }

  private:
    friend class Job;
    explicit Replicated(detail::Registration registration)
        : registration_(std::move(registration)) {}
    detail::Registration registration_;
};

}  // namespace ductile
