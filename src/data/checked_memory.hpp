// Memory of parts that a preloaded libductile_check watches (src/check). Without that library no
// memory is checked.
#pragma once

#include <cstddef>

#include "ductile/error.hpp"

extern "C" {
/// Memory for a part of this array. Null: no memory is checked, or there is not enough memory.
DUCTILE_PUBLIC void* ductile_check_take_memory(std::size_t bytes, const char* array)
    __attribute__((weak));
/// The array is frozen: a later write to it is reported. No effect if the memory is not checked.
DUCTILE_PUBLIC void ductile_check_freeze_memory(void* memory) __attribute__((weak));
/// The memory is no longer a part: a later use of it is reported.
DUCTILE_PUBLIC void ductile_check_end_memory(void* memory) __attribute__((weak));
}
