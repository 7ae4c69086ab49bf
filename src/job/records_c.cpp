// The C interface of records by owner.
#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <string>

#include "job/c_handles.hpp"

namespace {

using ductile::InputError;
using ductile::c::answer_or;
using ductile::c::given;
using ductile::c::guarded;

/// The handle outlives this object, because the handle ends the registration.
class HandleAccess final : public ductile::detail::RecordsAccess {
  public:
    HandleAccess(ductile_records& records, ductile_owner_function* owned_by, void* user)
        : records_(records), owner_(owned_by), user_(user) {}
    [[nodiscard]] std::int64_t count() const override {
        return static_cast<std::int64_t>(records_.bytes.size() / records_.record_bytes);
    }
    [[nodiscard]] int owner(std::int64_t i, int ranks) const override {
        return owner_(at(i), ranks, user_);
    }
    void pack(std::int64_t i, std::byte* to) const override {
        std::memcpy(to, at(i), records_.record_bytes);
    }
    void assign(std::span<const std::byte> bytes) override {
        records_.bytes.assign(bytes.begin(), bytes.end());
        records_.bytes.shrink_to_fit();
    }

  private:
    [[nodiscard]] const std::byte* at(std::int64_t i) const {
        return records_.bytes.data() + static_cast<std::size_t>(i) * records_.record_bytes;
    }
    ductile_records& records_;
    ductile_owner_function* owner_;
    void* user_;
};

ductile_records& records_of(ductile_records* records) {
    return *given(records, "the records");
}

}  // namespace

int ductile_job_redistribute_by(ductile_job* job, const char* name, size_t record_bytes,
                                const char* type, ductile_owner_function* owner, void* user,
                                ductile_records** records) {
    return guarded([&] {
        *given(records, "the new records' handle") = nullptr;
        given(owner, "the function for owners");
        if (record_bytes < 1) throw InputError("a record has 0 bytes");
        const std::string named = given(name, "the name of records");
        const std::string type_name =
            type != nullptr ? type : "C value of " + std::to_string(record_bytes) + " bytes";
        auto made = std::make_unique<ductile_records>();
        made->record_bytes = record_bytes;
        made->registration = ductile::JobAccess::add_records(
            ductile::c::job_of(job), {named, type_name, record_bytes, 0, 1, {}},
            std::make_unique<HandleAccess>(*made, owner, user));
        *records = made.release();
    });
}

int ductile_records_resize(ductile_records* records, int64_t count) {
    return guarded([&] {
        auto& all = records_of(records);
        const auto most =
            std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(all.record_bytes);
        if (count < 0 || count > most)
            throw InputError("there cannot be " + std::to_string(count) + " records");
        all.bytes.resize(static_cast<std::size_t>(count) * all.record_bytes);
    });
}

void* ductile_records_data(ductile_records* records) {
    return answer_or(nullptr, [&]() -> void* { return records_of(records).bytes.data(); });
}

int64_t ductile_records_count(const ductile_records* records) {
    return answer_or(-1, [&] {
        const auto& all = *given(records, "the records");
        return static_cast<int64_t>(all.bytes.size() / all.record_bytes);
    });
}

int ductile_records_free(ductile_records** records) {
    return guarded([&] {
        delete *given(records, "the handle");
        *records = nullptr;
    });
}
