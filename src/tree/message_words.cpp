#include "tree/message_words.hpp"

#include <stdexcept>
#include <type_traits>

namespace ductile::tree {
namespace {

/// Visits the fields of a value. `Self` defines what to do with a single word.
template <class Self>
class Walker {
  public:
    template <class... Fields>
    void operator()(Fields&... fields) {
        (walk(fields), ...);
    }

  private:
    template <class Field>
    void walk(Field& field) {
        auto& self = static_cast<Self&>(*this);
        if constexpr (requires { field.fields(self); }) {
            field.fields(self);
        } else if constexpr (requires { field.reserve(0); }) {
            self.list(field);
        } else if constexpr (requires { field.value; }) {
            self.word(field.value);
        } else {
            self.word(field);
        }
    }
};

class Writer : public Walker<Writer> {
  public:
    explicit Writer(std::vector<std::int32_t>& words) : words_(words) {}

    template <class Number>
    void word(const Number& number) {
        words_.push_back(static_cast<std::int32_t>(number));
    }
    template <class Element>
    void list(std::vector<Element>& elements) {
        word(elements.size());
        for (auto& element : elements) (*this)(element);
    }

  private:
    std::vector<std::int32_t>& words_;
};

class Counter : public Walker<Counter> {
  public:
    template <class Number>
    void word(const Number&) {
        ++words;
    }
    template <class Element>
    void list(std::vector<Element>& elements) {
        ++words;
        for (auto& element : elements) (*this)(element);
    }
    std::size_t words = 0;
};

class Reader : public Walker<Reader> {
  public:
    explicit Reader(std::span<const std::int32_t> words) : words_(words) {}

    template <class Number>
    void word(Number& number) {
        if (words_.empty())
            throw std::invalid_argument("a message for building a group ends early");
        const auto value = words_.front();
        words_ = words_.subspan(1);
        if constexpr (std::is_same_v<Number, bool> || std::is_enum_v<Number>) {
            if (value != 0 && value != 1)
                throw std::invalid_argument("a message for building a group has a wrong choice");
        }
        number = static_cast<Number>(value);
    }
    template <class Element>
    void list(std::vector<Element>& elements) {
        std::int32_t count = 0;
        word(count);
        // Each element has at least one word. So a wrong length cannot make us reserve without
        // limit.
        if (count < 0 || static_cast<std::size_t>(count) > words_.size())
            throw std::invalid_argument("a message for building a group has a wrong length");
        elements.resize(static_cast<std::size_t>(count));
        for (auto& element : elements) (*this)(element);
    }
    [[nodiscard]] bool empty() const { return words_.empty(); }

  private:
    std::span<const std::int32_t> words_;
};

template <std::size_t kind = 0>
Message read(std::size_t wanted, Reader& reader) {
    if constexpr (kind < std::variant_size_v<Message>) {
        if (wanted != kind) return read<kind + 1>(wanted, reader);
        std::variant_alternative_t<kind, Message> message;
        message.fields(reader);
        if (!reader.empty())
            throw std::invalid_argument("a message for building a group has words left over");
        return message;
    } else {
        throw std::invalid_argument("a message for building a group is of an unknown kind");
    }
}

}  // namespace

std::vector<std::int32_t> to_words(const Message& message) {
    std::vector<std::int32_t> words{static_cast<std::int32_t>(message.index())};
    Writer writer{words};
    // fields() serves reading and writing, so it is not const. A writer changes nothing.
    std::visit([&](auto& m) { m.fields(writer); }, const_cast<Message&>(message));
    return words;
}

std::size_t length_bytes(const Message& message) {
    Counter counter;
    std::visit([&](auto& m) { m.fields(counter); }, const_cast<Message&>(message));
    return sizeof(std::int32_t) * (1 + counter.words);
}

Message from_words(std::span<const std::int32_t> words) {
    Reader reader{words};
    std::int32_t kind = -1;
    reader.word(kind);
    return read(static_cast<std::size_t>(kind), reader);
}

}  // namespace ductile::tree
