#include "job/group_request.hpp"

#include <exception>

namespace ductile {

GroupRequest::GroupRequest() = default;
GroupRequest::GroupRequest(GroupRequest&&) noexcept = default;
GroupRequest::GroupRequest(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
GroupRequest& GroupRequest::operator=(GroupRequest&& other) noexcept {
    std::swap(impl_, other.impl_);
    return *this;
}
GroupRequest::~GroupRequest() {
    try {
        if (impl_ && std::uncaught_exceptions() > 0) impl_->abandon();
        wait();
    } catch (const std::exception&) {
        // The destructor ignores errors. A caller that needs them calls wait().
    }
}
bool GroupRequest::test() {
    return !impl_ || impl_->test();
}
void GroupRequest::wait() {
    if (impl_) impl_->wait();
}

}  // namespace ductile
