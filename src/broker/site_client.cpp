#include "broker/site_client.hpp"

#include <utility>

#include "core/overloaded.hpp"
#include "wire/printable.hpp"

namespace ductile::broker {

void SiteClient::ask(const PolicyQuestion& question, OnAnswer on_answer) {
    call_ = std::make_unique<site::SiteCall>(
        io_, munge_, site_.address,
        policy::SiteQuestion{site_.slurm_job, question.job, question.again_s},
        [on_answer = std::move(on_answer)](const auto& answer) {
            on_answer(std::visit(
                core::Overloaded{
                    [](const policy::Decision& decision) { return PolicyAnswer(decision); },
                    [](const site::SiteCall::Failed& failed) {
                        return PolicyAnswer(NoDecision{wire::on_one_line(failed.why)});
                    },
                },
                answer));
        });
}

}  // namespace ductile::broker
