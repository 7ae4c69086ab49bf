"""The problems of apps/mpdata, as arrays: what both sides begin with."""
import math

import numpy as np


def returning_wave(cells):
    """The field, the density, and the Courant numbers times the density at the faces (returning_wave.cpp)."""
    x, y, z = np.meshgrid(*(2 * math.pi * (np.arange(n) + 0.5) / n for n in cells), indexing='ij')
    psi = 2 + np.sin(x) * np.sin(y) + 0.5 * np.cos(z)
    density = 1 + 0.1 * (np.sin(x) + np.cos(y) + np.sin(z))
    return psi, density, tuple(np.full(_faces(cells, d), 1 / 8) for d in range(3))


def revolving_ball(cells):
    """The density and the Courant numbers of revolving_sphere.cpp, and its ball on a background of 1.

    On a background of 0, rounding would make some values negative. PyMPDATA's formulas do not expect this.
    """
    spacing = [100 / (n - 1) for n in cells]

    def from_centre(d, count):
        return (np.arange(count) * spacing[d] - 50).reshape([-1 if e == d else 1 for e in range(3)])

    away = 25 / math.sqrt(3)
    x, y, z = (from_centre(d, n) for d, n in enumerate(cells))
    psi = np.where((x + away) ** 2 + (y - away) ** 2 + (z - away) ** 2 <= 15 * 15, 5.0, 1.0)
    step = 0.018 * 2 * math.pi
    courant = []
    for d in range(3):
        shape = _faces(cells, d)
        a, b = (d + 1) % 3, (d + 2) % 3
        speed = 0.1 / math.sqrt(3) * (from_centre(b, shape[b]) - from_centre(a, shape[a]))
        courant.append(speed * step / spacing[d] * np.ones(shape))
    return psi, np.ones(cells), tuple(courant)


def _faces(cells, d):
    return tuple(n + (e == d) for e, n in enumerate(cells))
