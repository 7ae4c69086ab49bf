"""How long tests wait for an event before they give up, on machines that stall."""
import os
import subprocess

FACTOR = int(os.environ.get("DUCTILE_TEST_PATIENCE") or 1)


def patient(seconds):
    """`seconds`, times DUCTILE_TEST_PATIENCE (1 where that is not set; .ci/run sets 4). For how long a test waits for what should
    happen at once, and for upper bounds of what it has measured. Not for sleeps, limits that it gives to the product, and lower
    bounds."""
    return None if seconds is None else seconds * FACTOR


class PatientProcess(subprocess.Popen):
    """Whoever waits for it has patience."""

    def wait(self, timeout=None):
        return super().wait(patient(timeout))

    def communicate(self, input=None, timeout=None):  # pylint: disable=redefined-builtin
        self.wait = super().wait  # it is called with what is left of the time
        try:
            return super().communicate(input, patient(timeout))
        finally:
            del self.wait
