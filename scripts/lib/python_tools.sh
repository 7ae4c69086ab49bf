# shellcheck shell=bash
# Python tools of fixed versions from the Python package index: pytest for the tests and ruff for scripts/check in build/checks,
# MkDocs for scripts/docs in build/docs-tools. Sourced, after steps.sh.
# shellcheck disable=SC2154 # build, setup_lib: set there

pytest_version=8.3.4
ruff_version=0.8.4
python_tools=$build/checks
docs_tools=$build/docs-tools

# find_pip PYTHON PREFIX WHAT: sets pip to a command that installs into PREFIX, an environment of PYTHON. The package python3-venv
# has pip as a wheel, which runs without being installed. Without the wheel, find_pip uses the pip of PYTHON. WHAT is what will
# be installed, for the message.
find_pip() {
    local wheel folder
    folder=$("$1" -c 'import os, ensurepip; print(os.path.join(os.path.dirname(ensurepip.__file__), "_bundled"))' 2>/dev/null) ||
        folder=''
    for wheel in "$folder"/pip-*.whl /usr/share/python-wheels/pip-*.whl "$build"/deps/usr/share/python-wheels/pip-*.whl; do
        [[ -f $wheel ]] || continue
        pip=(env PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1 "PYTHONPATH=$wheel" "$2/bin/python" -m pip --timeout 20 --retries 2)
        return
    done
    if ! "$1" -m pip --version >/dev/null 2>&1; then
        say "cannot install $3: $1 has neither pip nor the module ensurepip (packages python3-pip and python3-venv)"
        return 1
    fi
    pip=(env PIP_NO_INPUT=1 PIP_DISABLE_PIP_VERSION_CHECK=1 "$1" -m pip --python "$2/bin/python" --timeout 20 --retries 2)
}

# The Python that python3-venv belongs to.
machines_python() { if [[ -x /usr/bin/python3 ]]; then echo /usr/bin/python3; else echo python3; fi; }

# provide_python_tool NAME VERSION: installs the tool in build/checks. This environment also sees the machine's own modules, such
# as libclang.
provide_python_tool() {
    local python pip
    [[ ! -f $(echo "$python_tools"/lib/python3*/site-packages/"$1-$2.dist-info/RECORD") ]] || ! "$python_tools/bin/python" -c '' 2>/dev/null || return 0
    python=$(machines_python)
    say "python: fetching $1 $2 from the Python package index"
    if ! grep -qsx 'include-system-site-packages = true' "$python_tools/pyvenv.cfg" || ! "$python_tools/bin/python" -c '' 2>/dev/null; then
        run 120 python-tools "$python" -m venv --clear --without-pip --system-site-packages "$python_tools" || {
            show_log python-tools
            return 1
        }
    fi
    find_pip "$python" "$python_tools" "$1" || return 1
    # --ignore-installed: installs the tool even if the machine has the same version.
    run 300 "$1" "${pip[@]}" install --ignore-installed --only-binary=:all: "$1==$2" || {
        show_log "$1" 6
        return 1
    }
}

provide_pytest() { provide_python_tool pytest "$pytest_version"; }
provide_ruff() { provide_python_tool ruff "$ruff_version"; }

# provide_docs_tools: for scripts/docs. Doxygen is a package; MkDocs and what it needs are in an environment of their own.
provide_docs_tools() {
    local packages python pip wanted
    mapfile -t packages < <(packages docs)
    provide_check_tools "${packages[@]}"
    wanted=$(<"$setup_lib/docs_requirements.txt")
    ! unchanged "$docs_tools/.stamp" "$wanted" || ! "$docs_tools/bin/python" -c '' 2>/dev/null || return 0
    python=$(machines_python)
    say "python: fetching MkDocs and what it needs from the Python package index"
    must 120 docs-tools "$python" -m venv --clear --without-pip "$docs_tools"
    find_pip "$python" "$docs_tools" MkDocs || fail "MkDocs cannot be installed"
    persist 300 docs-tools "${pip[@]}" install --no-deps --only-binary=:all: -r "$setup_lib/docs_requirements.txt" || {
        show_log docs-tools 6
        fail "MkDocs cannot be installed; build/log/docs-tools.log has the whole output"
    }
    mark_done "$docs_tools/.stamp" "$wanted"
}
