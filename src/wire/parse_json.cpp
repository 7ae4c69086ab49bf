#include "wire/parse_json.hpp"

namespace ductile::wire {

namespace {

constexpr int max_depth = 64;

class BoundedParser : public nlohmann::detail::json_sax_dom_parser<Json> {
    using Base = nlohmann::detail::json_sax_dom_parser<Json>;

  public:
    explicit BoundedParser(Json& out) : Base(out, false) {}
    bool start_object(std::size_t n) { return ++depth_ <= max_depth && Base::start_object(n); }
    bool end_object() { return --depth_ >= 0 && Base::end_object(); }
    bool start_array(std::size_t n) { return ++depth_ <= max_depth && Base::start_array(n); }
    bool end_array() { return --depth_ >= 0 && Base::end_array(); }

  private:
    int depth_ = 0;
};

}  // namespace

Json parse_json(std::string_view text, const std::string& what) {
    Json json;
    BoundedParser parser(json);
    if (!Json::sax_parse(text, &parser))
        throw InputError(what + " is not JSON, or nested too deep");
    return json;
}

}  // namespace ductile::wire
