"""Ductile's side: the program mpdata_rigid, one rank, one thread."""
import os
import subprocess

import h5py

INPUT = """[grid]
cells = {cells}
boundary = ["periodic", "periodic", "periodic"]
[scheme]
passes = {passes}
non_oscillatory = {non_oscillatory}
infinite_gauge = {infinite_gauge}
[run]
problem = "{problem}"
steps = 1
"""


class Ours:
    """Runs of one problem by one scheme, with files in `folder`."""

    def __init__(self, program, folder, problem, cells, scheme):
        self.program = program
        self.folder = folder
        self.input = self._path('input.toml')
        with open(self.input, 'w', encoding='utf-8') as file:
            file.write(INPUT.format(cells=list(cells), passes=scheme.passes, problem=problem,
                                    non_oscillatory=str(scheme.non_oscillatory).lower(),
                                    infinite_gauge=str(scheme.infinite_gauge).lower()))

    def advance(self, psi, steps):
        """The field after `steps` steps from `psi`."""
        with h5py.File(self._path('start.h5'), 'w') as file:
            file.create_dataset('psi', data=psi).attrs['step'] = 0
        self._run(steps, '--restart', self._path('start.h5'), '--field', self._path('end.h5'))
        with h5py.File(self._path('end.h5')) as file:
            return file['psi'][:]

    def time(self, steps):
        """The processor time of a step, in seconds. A run without steps gives the time of everything else."""
        return (self._run(steps) - self._run(0)) / steps

    def _path(self, name):
        return os.path.join(self.folder, name)

    def _run(self, steps, *options):
        command = [self.program, self.input, '--steps', str(steps), '--report-every', '0', *options]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise subprocess.CalledProcessError(process.returncode, command)
        return usage.ru_utime + usage.ru_stime
