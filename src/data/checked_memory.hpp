// Memory of parts that a preloaded libductile_check keeps an eye on (src/check). Without it there
// is none.
#pragma once

#include <cstddef>

#include "ductile/error.hpp"

extern "C" {
/// Memory for a part of this array; null: it is not checked, or there is none.
DUCTILE_PUBLIC void* ductile_check_take_memory(std::size_t bytes, const char* array)
    __attribute__((weak));
/// The array is frozen: who writes to it from now on is told so. Nothing happens where the memory
/// is not checked.
DUCTILE_PUBLIC void ductile_check_freeze_memory(void* memory) __attribute__((weak));
/// It is a part no more: who uses it from now on is told so.
DUCTILE_PUBLIC void ductile_check_end_memory(void* memory) __attribute__((weak));
}
