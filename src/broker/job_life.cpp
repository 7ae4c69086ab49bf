#include "broker/job_life.hpp"

#include "core/contract.hpp"

namespace ductile::broker {

const char* JobLife::name() const {
    static constexpr const char* names[] = {"starting", "running", "finishing",
                                            "resuming", "ending",  "ended"};
    return names[state_.index()];
}

Stage JobLife::stage() const {
    if (is<life::Starting>()) return Stage::starting;
    if (is<life::Finishing>()) return Stage::finishing;
    if (is<life::Ending>()) return Stage::ending;
    return Stage::running;
}

std::string JobLife::why() const {
    const auto* ending = std::get_if<life::Ending>(&state_);
    return ending == nullptr ? std::string() : ending->why;
}

bool JobLife::finish() {
    if (!is<life::Running>()) return false;
    state_ = life::Finishing{};
    return true;
}

bool JobLife::fail(int code) {
    if (exit_code_ != 0 || code == 0) return false;
    exit_code_ = code;
    return true;
}

bool JobLife::end(std::string why) {
    if (is_over()) return false;
    state_ = life::Ending{std::move(why)};
    failures_.blame();
    return true;
}

void JobLife::recover(const Snapshot& known) {
    state_ = life::Recovering{RecoverySession(known)};
}

const RecoverySession* JobLife::recovery() const {
    const auto* recovering = std::get_if<life::Recovering>(&state_);
    return recovering == nullptr ? nullptr : &recovering->session;
}

RecoverySession* JobLife::recovery() {
    auto* recovering = std::get_if<life::Recovering>(&state_);
    return recovering == nullptr ? nullptr : &recovering->session;
}

RecoverySession JobLife::settle() {
    DUCTILE_EXPECT(recovery() != nullptr);
    auto session = std::move(std::get<life::Recovering>(state_).session);
    switch (session.known().stage) {
        case Stage::starting:
            state_ = life::Starting{};
            break;
        case Stage::finishing:
            state_ = life::Finishing{};
            break;
        default:
            state_ = life::Running{};
    }
    return session;
}

bool JobLife::refuse(std::string why) {
    if (!refused_.empty()) return false;
    refused_ = std::move(why);
    state_ = life::Ended{};
    return true;
}

}  // namespace ductile::broker
