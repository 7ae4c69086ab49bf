"""mpdata over random sequences of resizes: the field is that of the rigid program on one rank, bit for bit.

A failure names its seed; MPDATA_SEED=SEED draws the same sequence again.
"""
import json
import os
import random
import re

import pytest
from app_job import BIN, run, run_with_requests

MPDATA = f'{BIN}/mpdata'
RIGID = f'{BIN}/mpdata_rigid'
DMR = f'{BIN}/mpdata_dmr'  # through the interface of DMR
MOST_RANKS = 4
RESIZES = 8
TENS = ('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j')
os.environ.setdefault('OMP_WAIT_POLICY', 'passive')  # threads that spin take the cores from other ranks


def draw_input(chance):
    # With only one pass the wave would come to rest.
    problem, boundary, fewest = chance.choice((('revolving_sphere', 'open', 1), ('returning_wave', 'periodic', 2)))
    gauge = chance.random() < 0.3
    return f"""[grid]
cells = {[chance.randint(*sides) for sides in ((5, 40), (20, 40), (20, 40))]}
boundary = {json.dumps([boundary] * 3)}
[scheme]
passes = {2 if gauge else chance.randint(fewest, 3)}
non_oscillatory = {json.dumps(chance.random() < 0.6)}
infinite_gauge = {json.dumps(gauge)}
[run]
problem = "{problem}"
steps = 1000000000
"""


def draw_job(chance):
    hosts, slots = chance.choice(((4, 1), (2, 2), (3, 2)))
    ranks = chance.randint(1, MOST_RANKS)
    options = [f'--local={hosts}', f'--ranks-per-host={slots}', '-n', str(ranks), '--shared-cores', 'yes',
               '--rank-order', chance.choice(('append', 'interleave')), '--redistribution', draw_redistribution(chance)]
    return ranks, slots, options


def draw_redistribution(chance):
    return chance.choice(('p2p', 'alltoallv', 'rma-lock', 'rma-lockall'))


def draw_start(chance, words, slots):
    """Adds options to the request that say how new ranks start. It may leave them to the defaults of the job."""
    starts = ['launch', 'collective', 'single', 'diffusive']
    if slots == 1:
        starts.append('hypercube')  # needs the same number of ranks on each host
    if chance.random() < 0.7:
        words += ['--start', chance.choice(starts)]
    if chance.random() < 0.5:
        words += ['--overlap', chance.choice(('background', 'blocking'))]
    if '--memory' not in words and chance.random() < 0.5:  # --memory tight does not allow a join in the background
        words += ['--join', 'background']


def draw_request(chance, ranks, parked, slots):
    """The size, the arguments of `ductile resize`, and how many ranks may be parked afterwards."""
    size = chance.choice([size for size in range(1, MOST_RANKS + 1) if size != ranks])
    words = [str(size)]
    if chance.random() < 0.5:
        words += ['--redistribution', draw_redistribution(chance)]
    if chance.random() < 0.3:
        words += ['--memory', 'tight']
    if chance.random() < 0.25:
        words += ['--method', 'baseline']
        draw_start(chance, words, slots)
        return size, words, 0
    if size < ranks:
        park = chance.random() < 0.4
        return size, words + ['--shrink', 'park' if park else 'ts'], parked + (ranks - size if park else 0)
    if parked == 0:  # if only parked ranks come back, a request that names a start is refused
        draw_start(chance, words, slots)
    return size, words, max(0, parked - (size - ranks))


def draw_requests(chance, ranks, slots):
    requests, parked = [], 0
    for _ in range(RESIZES):
        ranks, words, parked = draw_request(chance, ranks, parked, slots)
        requests.append(words)
    return requests


class Sequence:
    """A job over a random sequence of resizes, in a folder of its own."""

    def __init__(self, folder, seed, program=MPDATA):
        self.folder = folder
        folder.mkdir()
        chance = random.Random(seed)
        self.program = program
        self.input = self.path('input.toml')
        with open(self.input, 'w', encoding='utf-8') as file:
            file.write(draw_input(chance))
        ranks, slots, self.options = draw_job(chance)
        self.requests = draw_requests(chance, ranks, slots)
        self.pauses = random.Random(chance.random())
        self.threads = chance.choice(('1', '1', '2'))
        print(f'MPDATA_SEED={seed}', ' '.join(self.options), self.threads, 'threads:',
              '; '.join(' '.join(words) for words in self.requests))

    def path(self, name):
        return str(self.folder / name)

    def resized(self):
        stop = self.path('stop')
        return result(run_with_requests(
            self.options, [self.program, self.input, '--threads', self.threads, '--until', stop, '--checksum', '--report-every', '0'],
            stop, self.path('events'), self.requests, lambda: self.pauses.uniform(0, 0.1)))

    def fixed(self, *options):
        return result(run([RIGID, self.input, '--checksum', *options], 120))

    def check(self):
        """Compares the field with that of the rigid program. Returns whether the field still changes: a field at rest proves less."""
        steps, checksum = self.resized()
        field = self.path('field.h5')
        assert self.fixed('--steps', str(steps), '--field', field) == (steps, checksum)
        changes = self.fixed('--steps', str(steps + 1), '--restart', field)[1] != checksum
        print(steps, 'steps', '' if changes else '(at rest)')
        return changes


def result(output):
    found = re.search(r'^step (\d+)  checksum ([0-9a-f]{16})$', output, re.M)
    assert found, output
    return int(found[1]), found[2]


def check_sequences(folder, number, program=MPDATA):
    given = os.environ.get('MPDATA_SEED')
    seeds = [int(given)] if given else [random.SystemRandom().getrandbits(32) for _ in range(number)]
    assert any([Sequence(folder / str(place), seed, program).check() for place, seed in enumerate(seeds)])


def test_mpdata_random_resizes(tmp_path):
    check_sequences(tmp_path, 3)


def test_mpdata_dmr_random_resizes(tmp_path):
    check_sequences(tmp_path, 1, DMR)


@pytest.mark.slow
@pytest.mark.each
@pytest.mark.time_limit(600)
@pytest.mark.parametrize('ten', TENS)
def test_mpdata_random_sequences(tmp_path, ten):
    """Ten cases of ten sequences each. Each case draws its own sequences."""
    check_sequences(tmp_path, 10)
