// What jobs and ductiled say to each other, ductiled's journal, and what munge writes
// (docs/site.md).
#include "fuzz/fuzz.hpp"
#include "site/munge_output.hpp"
#include "site/site_journal.hpp"
#include "site/site_messages.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace ductile;
    using fuzz::expect;
    const auto text = fuzz::text_of(data, size);
    const auto quietly = [](auto what) {
        try {
            what();
        } catch (const InputError&) {
        }
    };
    quietly([&] {
        const auto question = site::to_question(site::parse_question(text));
        int ranks = 0;
        for (const auto& host : question.view.hosts) ranks += host.ranks;
        expect(ranks == question.view.ranks, "its hosts hold the ranks of a job");
        const auto again = site::to_question(
            site::parse_question(site::to_payload(site::Question(site::to_ask(question, "n")))));
        expect(again.view == question.view, "a question is passed on unchanged");
    });
    quietly([&] {
        if (const auto answer = site::parse_answer(text);
            const auto* decided = std::get_if<site::Decided>(&answer))
            expect(site::to_decision(*decided).why.find('\n') == std::string::npos,
                   "a reason is one line");
    });
    quietly([&] { static_cast<void>(site::read_raised(std::string(text), "journal")); });
    quietly([&] {
        expect(site::parse_opened(text).payload.size() < text.size(), "a payload is a part");
    });
    quietly([&] {
        expect(site::parse_sealed(text).find('\n') == std::string::npos,
               "a credential is one line");
    });
    return 0;
}
