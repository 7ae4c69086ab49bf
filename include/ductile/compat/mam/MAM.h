/**
 * \file
 * Programs that are written for MaM include `MAM.h`. With the folder of this file in the include
 * path these programs need no change.
 */
#ifndef DUCTILE_COMPAT_MAM_MAM_H
#define DUCTILE_COMPAT_MAM_MAM_H

#include "../mam.h"

#endif
