// What other faces than the C++ one need of a Job: registrations whose types they name themselves,
// requests for a resize that say more than a size.
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
    /// Of what was put into the registry under this name.
    static detail::Registration registration(Job& job, const std::string& name);
    /// As Job::request_resize.
    static void ask_for_resize(Job& job, const wire::ResizeRequest& request);
    /// In the place of those that the constructor was given; the size that the job has now may be
    /// outside. All ranks say the same. Throws InputError when they contradict themselves.
    static void set_options(Job& job, const Options& options);
    /// After `leave`: the members wait for data of this process, or do no more. If it dies before
    /// that the job is ended.
    static void give_data(Job& job, bool on);
    /// What has to be alike on all ranks, as a text for messages. Compared when a resize is voted
    /// on: where it differs the resize is rolled back.
    static void set_terms(Job& job, const std::string& terms);
};

}  // namespace ductile
