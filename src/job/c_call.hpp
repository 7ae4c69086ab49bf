// A call of the C face: exceptions become codes, and their messages are kept for ductile_error().
#pragma once

#include <string>

#include "ductile/error.h"
#include "ductile/error.hpp"

namespace ductile::c {

/// Of the exception that is being handled. Keeps its message.
int code_of_exception() noexcept;
/// Nothing went wrong so far in this thread's call.
void forget_error() noexcept;

/// Calls `call`, and answers with a code whatever it throws.
template <class Call>
int guarded(const Call& call) noexcept {
    forget_error();
    try {
        call();
        return DUCTILE_SUCCESS;
    } catch (...) {
        return code_of_exception();
    }
}

/// For what answers directly: `instead` where there is no answer. ductile_error() stays as it is.
template <class Answer, class Call>
auto answer_or(Answer instead, const Call& call) noexcept -> decltype(call()) {
    try {
        return call();
    } catch (...) {
        return instead;
    }
}

/// The pointer, which the program has to give. Throws UsageError that names it.
template <class Pointer>
Pointer* given(Pointer* pointer, const char* name) {
    if (pointer == nullptr)
        throw UsageError(std::string("a function of Ductile was given NULL for ") + name);
    return pointer;
}

}  // namespace ductile::c
