// The objects behind the handles of the C interface.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ductile/ductile.h"
#include "ductile/job.hpp"
#include "ductile/process_group.hpp"
#include "job/c_call.hpp"
#include "job/job_access.hpp"

struct ductile_job {
    ductile_job(int& argc, char**& argv, const ductile::Options& options, ductile::Schema schema)
        : job(argc, argv, options, std::move(schema)) {}
    ductile::Job job;
    std::vector<ductile::detail::Registration> kept;  ///< registrations that have no handle
    std::string resize_text;
};
struct ductile_schema {
    ductile::Schema schema;
};
struct ductile_value {
    ductile::detail::Registration registration;
};
struct ductile_distribution {
    ductile::Distribution rule;
};
struct ductile_array : ductile::Part {
    ductile_array(ductile::JobAccess::AddedArray added, std::int64_t values)
        : Part(std::move(added.registration), std::move(added.array)), width(values) {}
    [[nodiscard]] std::byte* data() const { return ductile::detail::array_data(array()); }
    [[nodiscard]] bool is_of_rows() const {
        return array().spec.kind == ductile::data::Elements::rows;
    }
    using Part::array;
    std::int64_t width;
};
struct ductile_records {
    std::vector<std::byte> bytes;
    std::size_t record_bytes = 1;
    std::optional<ductile::detail::Registration> registration;
};
struct ductile_group {
    ductile::ProcessGroup group;
};
struct ductile_group_request {
    ductile::GroupRequest request;
};

namespace ductile::c {

inline Job& job_of(ductile_job* job) {
    return given(job, "the job")->job;
}
inline const Job& job_of(const ductile_job* job) {
    return given(job, "the job")->job;
}

}  // namespace ductile::c
