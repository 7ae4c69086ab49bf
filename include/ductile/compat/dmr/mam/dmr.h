/**
 * \file
 * The name by which programs include DMR, with the back end `mam`: with the folder of this file in
 * the include path they need no change.
 */
#ifndef DUCTILE_COMPAT_DMR_MAM_DMR_H
#define DUCTILE_COMPAT_DMR_MAM_DMR_H

#include "../../dmr.h"

#endif
