// A resize that is read from the journal continues as if nothing had happened.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "../resize/random_run.hpp"
#include "broker/field_json.hpp"

namespace ductile::broker::resize_json_test {
namespace {

nlohmann::json written(resize::ResizeOperation operation) {
    return nlohmann::json::parse(FieldWriter::object(operation).dump());
}

resize::ResizeOperation read(const nlohmann::json& json) {
    resize::ResizeOperation operation;
    FieldReader::object(json, "open", operation);
    return operation;
}

RC_GTEST_PROP(ResizeJson, a_resize_that_was_written_and_read_continues_the_same, ()) {
    const bool starts = *rc::gen::inRange(0, 8) == 0;
    resize::RandomRun run(starts ? resize::start_of_job() : resize::any_plan());
    run.after_each_ = [](resize::ResizeOperation& operation) {
        auto restored = read(written(operation));
        RC_ASSERT(restored == operation);
        operation = std::move(restored);
    };
    run.tell(resize::Begin{}, true);
    const int troubles = *rc::gen::inRange(0, 4);
    run.go_on(300, troubles);
    run.check();
}

// A journal may be damaged: reading it gives a resize, or an error that names the place.
RC_GTEST_PROP(ResizeJson, damage_is_named_or_harmless, ()) {
    resize::ResizeOperation operation(resize::any_plan());
    resize::Effects effects;
    operation.on(resize::Begin{}, effects);
    operation.on(resize::Recorded{}, effects);
    auto json = written(operation);
    const auto places = json.flatten();
    auto damaged = places;
    const auto at = *rc::gen::inRange<std::size_t>(0, places.size());
    auto key = places.begin();
    std::advance(key, static_cast<std::ptrdiff_t>(at));
    damaged[key.key()] =
        *rc::gen::element<nlohmann::json>(-7, "x", true, 1e300, nullptr, std::int64_t{1} << 40);
    try {
        read(damaged.unflatten());
    } catch (const InputError& error) {
        RC_ASSERT(std::string(error.what()).starts_with("open"));
    }
}

}  // namespace
}  // namespace ductile::broker::resize_json_test
