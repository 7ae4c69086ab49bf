"""Compares apps/mpdata with PyMPDATA on one core: the time of a step, or with --oracle the difference of the fields.

bench/mpdata/pympdata/compare starts this program, and installs PyMPDATA for it.
"""
import argparse
import itertools
import os
import platform
import statistics
import sys
import tempfile

import numpy as np
from ours import Ours
from peer import Peer
from problems import returning_wave, revolving_ball
from schemes import SCHEMES

SAMPLE_S = 0.4  # of processor time; in shorter samples the start of a program counts too much
# PyMPDATA adds a number to each denominator: by default ITS_EPSILON. OUR_EPSILON is negligible, as the 2^-500 that
# apps/mpdata adds.
ITS_EPSILON = 1e-15
OUR_EPSILON = sys.float_info.min
ROUNDING = 1e-14


def arguments():
    root = os.path.join(os.path.dirname(__file__), '..', '..', '..')
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--oracle', action='store_true', help='compare fields, not times')
    parser.add_argument('--cells', help='cells along each edge: a list for times (default: 64,96,128), one number for '
                        '--oracle (default: 8)')
    parser.add_argument('--repetitions', type=int, default=9, help='number of samples of each side (default: 9)')
    parser.add_argument('--steps', type=int, default=6,
                        help='with --oracle: number of steps before the fields are compared (default: 6)')
    parser.add_argument('--core', type=int, default=min(os.sched_getaffinity(0)),
                        help='number of the core on which both sides run (default: the first one of this process)')
    parser.add_argument('--scheme', action='append',
                        help='name of a scheme in schemes.py; can be given several times (default: all)')
    parser.add_argument('--whole', action='store_true', help='give PyMPDATA the whole formula, as in --oracle')
    parser.add_argument('--program', default=os.path.join(root, 'build', 'bin', 'mpdata_rigid'),
                        help='our program (default: build/bin/mpdata_rigid)')
    options = parser.parse_args()
    options.cells = [int(n) for n in (options.cells or ('8' if options.oracle else '64,96,128')).split(',')]
    options.schemes = [scheme for scheme in SCHEMES if not options.scheme or scheme.name in options.scheme]
    return options


def samples(ours, peer, repetitions):
    """Seconds a step of each side, in turn; which goes first changes each time."""
    sides = [(side, max(1, round(SAMPLE_S / side.time(3))), []) for side in (ours, peer)]
    for i in range(repetitions):
        for side, steps, times in sides[::-1] if i % 2 else sides:
            times.append(side.time(steps))
    return [times for _, _, times in sides]


def spread(times, cells):
    """Median and quartiles, in ns a cell."""
    low, middle, high = statistics.quantiles(times, n=4, method='inclusive')
    return f'{middle / cells * 1e9:.1f} [{low / cells * 1e9:.1f}, {high / cells * 1e9:.1f}]'


def compare_times(options, folder):
    # Everything is compiled first, so that nothing else runs between the samples.
    pairs = []
    for cells in options.cells:
        start = returning_wave((cells,) * 3)
        for scheme in options.schemes:
            print(f'compiling: {cells} cells, {scheme.name}', file=sys.stderr)
            path = tempfile.mkdtemp(dir=folder)
            pairs.append((cells, scheme, Ours(options.program, path, 'returning_wave', (cells,) * 3, scheme),
                          Peer(scheme, start, options.whole, ITS_EPSILON)))
    os.sched_setaffinity(0, {options.core})
    print(f'ns a cell and step, median [quartiles] of {options.repetitions}; processor time')
    print('| cells | scheme | ours | PyMPDATA | PyMPDATA / ours | ms a step, ours | PyMPDATA |')
    print('|---|---|---|---|---|---|---|')
    for cells, scheme, ours, peer in pairs:
        mine, others = samples(ours, peer, options.repetitions)
        one, other = statistics.median(mine), statistics.median(others)
        print(f'| {cells}^3 | {scheme.name} | {spread(mine, cells**3)} | {spread(others, cells**3)} | '
              f'{other / one:.2f} | {one * 1e3:.2f} | {other * 1e3:.2f} |', flush=True)


def compare_fields(options, folder):
    """Whether both agree to rounding, where the formulas are the same."""
    # The three extents differ, so that a program that confuses dimensions fails.
    cells = (options.cells[0], options.cells[0] + 2, options.cells[0] + 1)
    cases = [('whole formula, our epsilon', True, OUR_EPSILON),
             ('whole formula', True, ITS_EPSILON),
             ('as it is', False, ITS_EPSILON)]
    problems = [('revolving_sphere', revolving_ball(cells)), ('returning_wave', returning_wave(cells))]
    print(f'{" x ".join(map(str, cells))} cells, {options.steps} steps; the difference over the field')
    print('| PyMPDATA | problem | scheme | in the mean square | largest |')
    print('|---|---|---|---|---|')
    agree = True
    for (formula, whole, epsilon), (problem, start), scheme in itertools.product(cases, problems, options.schemes):
        path = tempfile.mkdtemp(dir=folder)
        ours = Ours(options.program, path, problem, cells, scheme).advance(start[0], options.steps)
        with np.errstate(over='ignore'):  # a quotient by OUR_EPSILON; it is limited to 1 afterwards
            other = Peer(scheme, start, whole, epsilon).advance(options.steps)
        mean = np.sqrt(np.mean((ours - other) ** 2) / np.mean(other**2))
        largest = np.max(np.abs(ours - other)) / np.max(np.abs(other))
        agree &= bool(largest < ROUNDING) or epsilon != OUR_EPSILON
        print(f'| {formula} | `{problem}` | {scheme.name} | {mean:.1e} | {largest:.1e} |', flush=True)
    return agree


def main():
    options = arguments()
    print(f'PyMPDATA 1.7.3, Python {platform.python_version()}')
    with tempfile.TemporaryDirectory() as folder:
        if not options.oracle:
            compare_times(options, folder)
        elif not compare_fields(options, folder):
            sys.exit('the fields differ by more than rounding')


if __name__ == '__main__':
    main()
