/**
 * \file
 * Programs that are written for DMR include `dmr.h`. With the folder of this file in the include
 * path these programs get the back end `mam`, and need no change.
 */
#ifndef DUCTILE_COMPAT_DMR_MAM_DMR_H
#define DUCTILE_COMPAT_DMR_MAM_DMR_H

#include "../../dmr.h"

#endif
