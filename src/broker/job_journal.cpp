#include "broker/job_journal.hpp"

#include "wire/fields.hpp"
#include "wire/json_line.hpp"
#include "wire/psk.hpp"

namespace ductile::broker {

BrokerEndpoint endpoint_in(const Journal& journal) {
    BrokerEndpoint endpoint;
    std::string secret;
    wire::Decoder fields(journal.origin(), "journal");
    fields.text("secret", secret, wire::limits::name_bytes);
    fields.number("port", endpoint.port, 1, 65535);
    endpoint.secret = wire::secret_from_hex(secret);
    return endpoint;
}

void JobJournal::create(const std::string& origin, const std::string& job,
                        const BrokerEndpoint& endpoint) {
    auto kept = wire::from_line(origin);
    kept["job"] = job;
    kept["secret"] = wire::to_hex(endpoint.secret);
    kept["port"] = endpoint.port;
    journal_.emplace(Journal::create(path_, kept));
}

JobJournal::Written JobJournal::record(const std::string& step, const Snapshot& snapshot) {
    if (!journal_) return {};
    Written written{journal_->record(step, snapshot), {}};
    if (written.failed && !failed_)
        written.notice = *written.failed +
                         "; the job runs on at its size, and no resize begins until it can be "
                         "written";
    if (!written.failed && failed_) written.notice = "the journal can be written again";
    failed_ = written.failed.has_value();
    return written;
}

void JobJournal::record_resize(const nlohmann::json& record) {
    if (journal_) journal_->record_resize(record);
}

}  // namespace ductile::broker
