"""The antidiffusive velocity in three dimensions with a density (smolarkiewicz-margolin-1998), for PyMPDATA's solver.

PyMPDATA 1.7.3 computes only one of the two cross terms in three dimensions, and does not divide by the density.
"""
import numba
import numpy as np


def make(*, atv, ats, non_unit_g_factor, options, n_dims, last_pass):
    """Returns the function that PyMPDATA calls for each dimension.

    `atv` and `ats` read a value at an offset along this dimension, the next dimension and the one after it.
    """
    del n_dims, last_pass  # always three dimensions, and the same for all passes
    gauge = options.infinite_gauge
    epsilon = options.epsilon

    @numba.njit(**options.jit_flags)
    def velocity(psi, g_c, g_factor):
        density = (ats(*g_factor, 0) + ats(*g_factor, 1)) / 2 if non_unit_g_factor else 1.0
        along = ats(*psi, 1) - ats(*psi, 0)
        next_after = ats(*psi, 1, 1) + ats(*psi, 0, 1)
        next_before = ats(*psi, 1, -1) + ats(*psi, 0, -1)
        last_after = ats(*psi, 1, 0, 1) + ats(*psi, 0, 0, 1)
        last_before = ats(*psi, 1, 0, -1) + ats(*psi, 0, 0, -1)
        across_next = next_after - next_before
        across_last = last_after - last_before
        if gauge:
            along /= 2
            across_next /= 4
            across_last /= 4
        else:
            along /= ats(*psi, 1) + ats(*psi, 0) + epsilon
            across_next /= next_after + next_before + epsilon
            across_last /= last_after + last_before + epsilon
        sum_next = atv(*g_c, 1.0, 0.5) + atv(*g_c, 0.0, 0.5) + atv(*g_c, 1.0, -0.5) + atv(*g_c, 0.0, -0.5)
        sum_last = (atv(*g_c, 1.0, 0.0, 0.5) + atv(*g_c, 0.0, 0.0, 0.5)
                    + atv(*g_c, 1.0, 0.0, -0.5) + atv(*g_c, 0.0, 0.0, -0.5))
        here = atv(*g_c, 0.5)
        scaled = here / density
        return (np.abs(here) - here * scaled) * along - 0.125 * scaled * (sum_next * across_next
                                                                          + sum_last * across_last)

    return velocity
