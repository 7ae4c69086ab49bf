"""One rank of a run of mpi4py's own tests: mpi4py_rank.py TESTS MODULE OUTCOMES

Runs the tests of MODULE in the folder TESTS, and writes a line "outcome test" for each into OUTCOMES/rank."""
import importlib
import sys
import unittest

tests, module, folder = sys.argv[1:]
sys.path.insert(0, tests)
sys.dont_write_bytecode = True
rank = importlib.import_module("mpi4py.MPI").COMM_WORLD.Get_rank()
outcomes = open(f"{folder}/{rank}", "w", buffering=1)


class Outcomes(unittest.TextTestResult):
    """Writes each outcome when it is known, so that a run that never ends shows how far it came."""

    def addSuccess(self, test):
        print("passed", test.id(), file=outcomes)
        super().addSuccess(test)

    def addSkip(self, test, reason):
        print("skipped", test.id(), file=outcomes)
        super().addSkip(test, reason)

    def addFailure(self, test, error):
        print("failed", test.id(), file=outcomes)
        super().addFailure(test, error)

    def addError(self, test, error):
        print("failed", test.id(), file=outcomes)
        super().addError(test, error)

    def addSubTest(self, test, subtest, error):
        if error is not None:
            print("failed", test.id(), file=outcomes)
        super().addSubTest(test, subtest, error)


class Runner(unittest.TextTestRunner):
    resultclass = Outcomes


importlib.import_module("main").main(module=None, argv=["mpi4py", "--failfast", module], testRunner=Runner)
