"""PyMPDATA's side."""
import functools
import time

import antidiffusive_velocity
import PyMPDATA
import PyMPDATA.stepper
from PyMPDATA.boundary_conditions import Periodic
from PyMPDATA.impl import formulae_antidiff

FORMULA = '__make_antidiff'
SHIPPED = getattr(formulae_antidiff, FORMULA)


@functools.cache
def _stepper(scheme, whole, epsilon):
    setattr(formulae_antidiff, FORMULA, antidiffusive_velocity.make if whole else SHIPPED)
    # PyMPDATA caches compiled steps by their options. The formula is not one of these options.
    PyMPDATA.stepper.make_step_impl.cache_clear()
    options = PyMPDATA.Options(n_iters=scheme.passes, infinite_gauge=scheme.infinite_gauge,
                               nonoscillatory=scheme.non_oscillatory, epsilon=epsilon)
    # Without a grid, so that one stepper serves all sizes: its compilation takes minutes.
    return PyMPDATA.Stepper(options=options, n_dims=3, non_unit_g_factor=True, n_threads=1)


class Peer:
    """A field on a periodic grid, moved by PyMPDATA on one thread.

    `whole`: with antidiffusive_velocity.py in place of PyMPDATA's own formula. `epsilon`: what PyMPDATA adds to each
    denominator.
    """

    def __init__(self, scheme, start, whole, epsilon):
        psi, density, courant = start
        stepper = _stepper(scheme, whole, epsilon)
        boundary = (Periodic(),) * 3
        halo = stepper.options.n_halo
        self.field = PyMPDATA.ScalarField(psi, halo, boundary)
        self.solver = PyMPDATA.Solver(stepper, self.field, PyMPDATA.VectorField(courant, halo, boundary),
                                      PyMPDATA.ScalarField(density, halo, boundary))
        self.solver.advance(0)  # compiles

    def advance(self, steps):
        """The field after `steps` more steps."""
        self.solver.advance(steps)
        return self.field.get()

    def time(self, steps):
        """The processor time of a step, in seconds."""
        start = time.process_time()
        self.solver.advance(steps)
        return (time.process_time() - start) / steps
