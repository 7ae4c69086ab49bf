#define DUCTILE_DMR_DMRLIB
#include "dmr_from_c.c"
