/**
 * \file
 * The name by which programs include MaM: with the folder of this file in the include path they
 * need no change.
 */
#ifndef DUCTILE_COMPAT_MAM_MAM_H
#define DUCTILE_COMPAT_MAM_MAM_H

#include "../mam.h"

#endif
