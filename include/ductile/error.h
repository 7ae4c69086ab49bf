/**
 * \file
 * The codes that the C functions of Ductile return.
 *
 * Most functions return a code. No function throws an exception. If a function returns a value
 * instead of a code (a rank, a pointer), its comment begins with "Answered directly".
 */
#ifndef DUCTILE_ERROR_H
#define DUCTILE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/** Marks the symbols that programs may use. */
#define DUCTILE_C_PUBLIC __attribute__((visibility("default")))

/** The codes that functions return, with their meanings. */
#define DUCTILE_CODES(X)                                              \
    X(DUCTILE_SUCCESS, 0, "no error")                                 \
    X(DUCTILE_ERR_INPUT, 1, "a value is out of its bounds")           \
    X(DUCTILE_ERR_USAGE, 2, "the call is not possible in this state") \
    X(DUCTILE_ERR_MPI, 3, "a call of MPI failed")                     \
    X(DUCTILE_ERR_SYSTEM, 4, "the system or another process failed")  \
    X(DUCTILE_ERR_TIMEOUT, 5, "a deadline passed")                    \
    X(DUCTILE_ERR_OTHER, 6, "something else went wrong")              \
    X(DUCTILE_ERR_MEMORY, 7, "there is not enough memory")

/** The codes of DUCTILE_CODES. */
enum ductile_code {
#define DUCTILE_CODE(name, value, meaning) name = (value),
    DUCTILE_CODES(DUCTILE_CODE)
#undef DUCTILE_CODE
};

/** The error message of this thread's last call that returned a code; "" if that call succeeded.
 * The text says what failed, and why. Valid until the thread's next such call. */
DUCTILE_C_PUBLIC const char* ductile_error(void);
/** The meaning of a code. */
DUCTILE_C_PUBLIC const char* ductile_code_meaning(int code);

#ifdef __cplusplus
}
#endif

#endif
