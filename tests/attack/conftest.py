"""ctest runs the attacks one at a time, each by private_tmp.py."""
import os
import sys

import pytest

from private_tmp import INSIDE

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "system"))
pytest.register_assert_rewrite("attack", "ductile_job")


def pytest_configure():
    if INSIDE not in os.environ:
        raise pytest.UsageError("attacks need a /tmp of their own: python tests/attack/private_tmp.py python -m pytest FILE::CASE")
