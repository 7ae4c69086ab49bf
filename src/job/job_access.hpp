// What the C, MaM and DMR interfaces need from a Job: registrations with types that they name
// themselves, and requests for a resize with more than a size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "data/registry.hpp"
#include "ductile/job.hpp"
#include "wire/request_messages.hpp"

namespace ductile {

class JobAccess {
  public:
    using AddedArray = Job::AddedArray;
    using NewArray = detail::NewArray;

    static detail::Registration add_replicated(Job& job, const std::string& name,
                                               std::string_view type,
                                               std::unique_ptr<detail::ReplicatedAccess> access) {
        return job.add_replicated(name, type, std::move(access));
    }
    static AddedArray add_array(Job& job, const NewArray& array, const Distribution& distribution) {
        return job.add_array(array, distribution);
    }
    static AddedArray add_rows(Job& job, const NewArray& array, const Distribution& distribution) {
        return job.add_rows(array, distribution);
    }
    static detail::Registration add_records(Job& job, const NewArray& records,
                                            std::unique_ptr<detail::RecordsAccess> access) {
        return job.add_records(records, std::move(access));
    }
    static data::Registry& registry(Job& job);
    /// The registration of the data that the registry holds under this name.
    static detail::Registration registration(Job& job, const std::string& name);
    /// As Job::request_resize.
    static void ask_for_resize(Job& job, const wire::ResizeRequest& request);
    /// Replaces the options of the constructor. The present size of the job may be outside the new
    /// limits. All ranks pass the same. Throws InputError if the options contradict each other.
    static void set_options(Job& job, const Options& options);
    /// After `leave`: on, if members wait for data of this process; off, if they wait no more. If
    /// the process dies while it is on, the job is ended.
    static void give_data(Job& job, bool on);
    /// What must be the same on all ranks, as text for messages. The vote on a resize compares it.
    /// If it differs, the resize is rolled back.
    static void set_terms(Job& job, const std::string& terms);
};

}  // namespace ductile
