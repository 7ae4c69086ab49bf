#include "job/c_call.hpp"

#include <exception>
#include <new>

namespace ductile::c {

namespace {

thread_local std::string last_error;

int failed(int code, const char* what) noexcept {
    try {
        last_error = what;
    } catch (const std::bad_alloc&) {
        last_error.clear();
    }
    return code;
}

}  // namespace

void forget_error() noexcept {
    last_error.clear();
}

int code_of_exception() noexcept {
    try {
        throw;
    } catch (const InputError& error) {
        return failed(DUCTILE_ERR_INPUT, error.what());
    } catch (const UsageError& error) {
        return failed(DUCTILE_ERR_USAGE, error.what());
    } catch (const MpiError& error) {
        return failed(DUCTILE_ERR_MPI, error.what());
    } catch (const TimeoutError& error) {
        return failed(DUCTILE_ERR_TIMEOUT, error.what());
    } catch (const SystemError& error) {
        return failed(DUCTILE_ERR_SYSTEM, error.what());
    } catch (const std::bad_alloc&) {
        return failed(DUCTILE_ERR_MEMORY, "not enough memory");  // short: it needs no memory
    } catch (const std::exception& error) {
        return failed(DUCTILE_ERR_OTHER, error.what());
    } catch (...) {
        return failed(DUCTILE_ERR_OTHER, "an exception of the program's own, of an unknown type");
    }
}

}  // namespace ductile::c

const char* ductile_error(void) {
    return ductile::c::last_error.c_str();
}

const char* ductile_code_meaning(int code) {
    switch (code) {
#define DUCTILE_CODE(name, value, meaning) \
    case name:                             \
        return meaning;
        DUCTILE_CODES(DUCTILE_CODE)
#undef DUCTILE_CODE
        default:
            return "not a code of Ductile";
    }
}
