// A call of the C interface: exceptions become codes, and ductile_error() returns their messages.
#pragma once

#include <string>

#include "ductile/error.h"
#include "ductile/error.hpp"

namespace ductile::c {

/// The code of the current exception. Keeps the message of the exception for ductile_error().
int code_of_exception() noexcept;
/// Clears the message for ductile_error() on this thread.
void forget_error() noexcept;

/// Calls `call`. Returns a code, whatever `call` throws.
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

/// For functions that return their result directly. Returns `instead` if `call` throws.
/// ductile_error() stays as it is.
template <class Answer, class Call>
auto answer_or(Answer instead, const Call& call) noexcept -> decltype(call()) {
    try {
        return call();
    } catch (...) {
        return instead;
    }
}

/// Returns the pointer, which must not be null. Otherwise throws UsageError that names it.
template <class Pointer>
Pointer* given(Pointer* pointer, const char* name) {
    if (pointer == nullptr)
        throw UsageError(std::string("a function of Ductile was given NULL for ") + name);
    return pointer;
}

}  // namespace ductile::c
