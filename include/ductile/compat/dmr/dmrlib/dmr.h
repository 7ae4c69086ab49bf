/**
 * \file
 * The name by which programs include DMR, with the back end `dmrlib`: with the folder of this file
 * in the include path they need no change.
 */
#ifndef DUCTILE_COMPAT_DMR_DMRLIB_DMR_H
#define DUCTILE_COMPAT_DMR_DMRLIB_DMR_H

#define DUCTILE_DMR_DMRLIB

#include "../../dmr.h"

#endif
