// A fake of the MPI calls that start groups. The test decides what happens in each step.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/spawn_steps.hpp"

namespace ductile::engine {

/// No MPI runs here. Each step is recorded, and then its function in `at` is called.
class FakeSpawnSteps final : public SpawnSteps {
  public:
    /// What happens in a step, by its text: the function may throw, or return late.
    std::map<std::string, std::function<void()>> at;
    /// What happens while ports are shared.
    std::function<void(const std::function<bool()>& is_wanted)> while_sharing;
    std::weak_ptr<mpi::Comm> bridge_made, last_child;

    /// The steps since the last call.
    std::vector<std::string> take_steps() {
        const std::lock_guard lock(mutex_);
        return std::exchange(steps_, {});
    }
    /// Waits until this is the last step.
    void await(const std::string& step) {
        for (;;) {
            {
                const std::lock_guard lock(mutex_);
                if (!steps_.empty() && steps_.back() == step) return;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
    }

    mpi::SharedComm start(const wire::SpawnGroup& order, const mpi::Comm* sources) override {
        go("start " + std::to_string(order.group.value) + who(sources));
        auto between = std::make_shared<mpi::Comm>();
        groups_[between.get()] = order.group;
        last_child = between;
        return between;
    }
    mpi::SharedComm bridge(const wire::SpawnGroup&, const mpi::Comm& between,
                           const mpi::Comm* sources, const std::function<bool()>&) override {
        go("bridge to " + std::to_string(groups_.at(&between).value) + who(sources));
        auto made = std::make_shared<mpi::Comm>();
        bridge_made = made;
        return made;
    }
    void share_ports(const wire::SharePorts&, const mpi::Comm&,
                     const std::vector<mpi::SharedComm>& children,
                     const std::function<bool()>& is_wanted) override {
        std::string step = "share ports of";
        for (const auto& child : children)
            step += " " + std::to_string(groups_.at(child.get()).value);
        go(step);
        if (while_sharing) while_sharing(is_wanted);
    }

  private:
    static std::string who(const mpi::Comm* sources) {
        return sources == nullptr ? "" : " with all sources";
    }
    void go(const std::string& step) {
        {
            const std::lock_guard lock(mutex_);
            steps_.push_back(step);
        }
        if (const auto found = at.find(step); found != at.end()) found->second();
    }

    std::mutex mutex_;
    std::vector<std::string> steps_;
    std::map<const mpi::Comm*, core::GroupId> groups_;
};

}  // namespace ductile::engine
