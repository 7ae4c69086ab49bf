"""Runs a command in a mount namespace with a /tmp and a /dev/shm of its own, so that an attack touches no other job on the machine:
private_tmp.py COMMAND [ARGUMENT...]. DUCTILE_PROGRAM, STEADY_PROGRAM, these tests and the command are visible inside, even if they are in
/tmp. The exit code is 77 if namespaces are not permitted.
"""
import os
import subprocess
import sys

INSIDE = "DUCTILE_ATTACK_INSIDE"  # set in the namespace, to the id of the user outside
SKIPPED = 77


def mount_tmpfs(path, size, mode="0700"):
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size},mode={mode}", "attack", path], check=True, timeout=10)


def enter_namespace():
    """Starts this program once more, inside."""
    how = ["unshare", "--mount"] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user", "--mount"]
    if subprocess.run([*how, "true"], capture_output=True).returncode != 0:
        print("skipped: cannot make a mount namespace for a private /tmp")
        sys.exit(SKIPPED)
    os.environ[INSIDE] = str(os.geteuid())
    os.execvp(how[0], [*how, sys.executable, "-W", "ignore", *sys.argv])


def grandparent(path):
    """The directory above that of a file: `build` for files in build/bin and build/tests."""
    return os.path.dirname(os.path.dirname(path))


def make_private(command):
    files = [os.path.realpath(os.environ["DUCTILE_PROGRAM"]), os.path.realpath(os.environ["STEADY_PROGRAM"]), os.path.realpath(__file__), os.path.abspath(command)]
    open_there = {path: os.open(path, os.O_PATH) for path in map(grandparent, files) if path.startswith("/tmp/")}
    mount_tmpfs("/tmp", "64m", "1777")
    mount_tmpfs("/dev/shm", "1g", "1777")
    for path, fd in open_there.items():
        os.makedirs(path, 0o755, exist_ok=True)
        subprocess.run(["mount", "--no-canonicalize", "--bind", f"/proc/{os.getpid()}/fd/{fd}", path], check=True, timeout=10)
        os.close(fd)
    for name in ("XDG_RUNTIME_DIR", "TMPDIR", "DUCTILE_LOG", "DUCTILE_CONFIG"):
        os.environ.pop(name, None)
    os.environ["HOME"] = "/tmp"
    os.chdir("/tmp")


if __name__ == "__main__":
    if INSIDE not in os.environ:
        enter_namespace()
    command = os.path.abspath(sys.argv[1])
    make_private(command)
    os.execv(command, [command, *sys.argv[2:]])
