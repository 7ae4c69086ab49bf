# shellcheck shell=bash
# The packages of packages.txt: installed as root; without root unpacked under build/deps. Sourced by scripts/setup and others.
# shellcheck disable=SC2154 # build, setup_lib: set there

deps=$build/deps
deps_path=$deps/usr/bin:$deps/bin
apt_options=(-q -y -o Acquire::Retries=2 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20
    -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold)

# packages WHAT...: prints the names of the packages that packages.txt lists for any of WHAT.
packages() {
    local who name wanted=" $* "
    while read -r who name; do
        [[ $wanted == *" $who "* ]] && printf '%s\n' "$name"
    done < <(grep -E '^[a-z]' "$setup_lib/packages.txt")
    return 0
}

# absent NAME...: prints those of these packages that are not installed.
absent() {
    local installed name
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
    for name in "$@"; do
        grep -qxF "$name installed" <<<"$installed" || printf '%s\n' "$name"
    done
}

provide_packages() {
    local all missing groups=(always)
    ! with_tests || groups+=(tests)
    ! with_mpdata || groups+=(mpdata)
    if ! command -v apt-get dpkg-query >/dev/null; then
        say "packages: this is not Debian or Ubuntu (no apt-get); using what is installed"
        return
    fi
    if ((EUID == 0)); then
        groups+=(system root)
        ! with_tests || groups+=(some)
        mapfile -t all < <(packages "${groups[@]}")
        mapfile -t missing < <(absent "${all[@]}")
        ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
        say "packages: all ${#all[@]} are installed"
    else
        mapfile -t all < <(packages "${groups[@]}")
        mapfile -t missing < <(absent "${all[@]}")
        if ((${#missing[@]} == 0)); then
            say "packages: all ${#all[@]} are installed"
            return
        fi
        check_system_tools
        unpack_packages "${missing[@]}"
        say "packages: $((${#all[@]} - ${#missing[@]})) are installed, ${#missing[@]} unpacked in build/deps"
    fi
}

install_packages() {
    local attempt
    export DEBIAN_FRONTEND=noninteractive NEEDRESTART_SUSPEND=1
    for attempt in 1 2 3; do
        if ((attempt > 1)) || ! apt-get -s -q install "$@" >/dev/null 2>&1; then
            say "packages: reading the package lists"
            run 300 apt-update apt-get "${apt_options[@]}" update ||
                say "  not all lists could be read (build/log/apt-update.log); continuing with the other lists"
        fi
        say "packages: installing $*"
        run 1500 apt-install apt-get "${apt_options[@]}" install --no-install-recommends "$@" && return
        say "  that did not work (build/log/apt-install.log)"
        grep -q 'Unable to locate package' "$build/log/apt-install.log" && ((attempt > 1)) && break
        sleep 5
    done
    show_log apt-install 6
    fail "cannot install the packages $*" "$(why_no_archive)run this again when 'apt-get install' of them works"
}

why_no_archive() {
    if grep -qs -E 'Failed to fetch|^Err:' "$build/log/apt-update.log"; then
        printf 'the package archive could not be read (build/log/apt-update.log); '
    fi
}

# Without root: checks for the tools that must be on the machine because they cannot be unpacked.
check_system_tools() {
    local lacking=()
    command -v python3 >/dev/null || lacking+=(python3)
    if ! c++ -std=c++20 -x c++ -c -o /dev/null - <<<$'#include <concepts>\n#include <unistd.h>' 2>/dev/null; then
        lacking+=('g++ (version 11 or later)')
    fi
    ((${#lacking[@]} == 0)) && return
    fail "without root these must be on the machine already, and are not: $(join ', ' "${lacking[@]}")" \
        "ask your administrator for: apt-get install g++ python3 ca-certificates" \
        "(all else is fetched and unpacked in build/deps), or run this once as root"
}
join() {
    local separator=$1 text=$2 word
    shift 2
    for word in "$@"; do text+=$separator$word; done
    printf '%s' "$text"
}

# provide_clang: clang with libFuzzer, for scripts/fuzz. It is not unpacked: without root it must be on the machine.
provide_clang() {
    local wanted missing
    mapfile -t wanted < <(packages fuzz)
    if ((EUID == 0)) && command -v apt-get dpkg-query >/dev/null; then
        mapfile -t missing < <(absent "${wanted[@]}")
        ((${#missing[@]} == 0)) || install_packages "${missing[@]}"
    fi
    clang++ -fsanitize=fuzzer,address,undefined -x c++ -o /dev/null - 2>"$build/log/clang.log" \
        <<<'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' ||
        fail "clang++ with libFuzzer does not work on this machine (build/log/clang.log)" \
            "on Debian and Ubuntu: apt-get install ${wanted[*]}, as root"
}

# provide_check_tools TOOL...: tools for scripts/check and scripts/docs. They are not unpacked: without root they must be on the
# machine.
provide_check_tools() {
    local tool missing=()
    for tool in "$@"; do
        command -v "$tool" >/dev/null || missing+=("$tool")
    done
    ((${#missing[@]} > 0)) || return 0
    if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
        fail "not on this machine: ${missing[*]}" "on Debian and Ubuntu: apt-get install ${missing[*]}, as root"
    fi
    install_packages "${missing[@]}"
}

# unpack_packages NAME...: fetches these packages, and those packages that they need and that are not installed. Unpacks all of
# them in build/deps.
unpack_packages() {
    local wanted=("$@") tools stage=$build/deps.new
    mapfile -t tools < <(packages unpack)
    mapfile -t -O "${#wanted[@]}" wanted < <(absent "${tools[@]}")
    local inputs=("$deps" "$(<"$setup_lib/packages.sh")" "${wanted[@]}")
    unchanged "$deps/.stamp" "${inputs[@]}" && [[ -f $deps/toolchain.cmake ]] && return

    rm -rf "$stage"
    mkdir -p "$stage"
    fetch_with_lists "$stage" "${wanted[@]}" ||
        fail "cannot fetch the packages ${wanted[*]}" \
            "$(why_no_archive)run this again when it answers, or ask your administrator for: apt-get install $*"
    say "packages: unpacking"
    for archive in "$stage"/*.deb; do
        dpkg-deb -x "$archive" "$stage"
        rm "$archive"
    done
    rm -rf "$deps" "$build/apt"
    mv "$stage" "$deps"
    settle_unpacked
    mark_done "$deps/.stamp" "${inputs[@]}"
}

# fetch_with_lists FOLDER NAME...: fetches packages by the machine's package lists. If that fails, it reads package lists into
# build/apt and uses those.
fetch_with_lists() {
    local folder=$1
    shift
    private=(-o "Dir::State::lists=$build/apt/lists" -o "Dir::Cache=$build/apt/cache" -o APT::Sandbox::User=)
    mkdir -p "$build/apt/lists/partial" "$build/apt/cache/archives/partial"
    apt_view=()
    fetch_packages "$folder" "$@" && return
    say "packages: reading the package lists into build/apt (the machine's own are absent or old)"
    apt_view=("${private[@]}")
    persist 300 apt-update apt-get "${apt_options[@]}" "${private[@]}" update ||
        say "  not all lists could be read (build/log/apt-update.log); continuing with the other lists"
    fetch_packages "$folder" "$@" && return
    show_log apt-plan 6
    return 1
}

# fetch_packages FOLDER NAME...: downloads the packages that apt would install for these names.
fetch_packages() {
    local folder=$1 names
    shift
    apt-get "${apt_view[@]}" -s -q install --no-install-recommends "$@" >"$build/log/apt-plan.log" 2>&1 || return 1
    mapfile -t names < <(sed -nE 's/^Inst ([^ ]+) (\[[^]]*\] )?\(([^ ]+) .*/\1=\3/p' "$build/log/apt-plan.log")
    ((${#names[@]} > 0)) || return 1
    say "packages: fetching ${#names[@]}, to be unpacked in build"
    persist 900 apt-download env -C "$folder" apt-get "${apt_options[@]}" "${apt_view[@]}" download "${names[@]}"
}

# The packages are made for /usr. Makes their links, pkg-config files and library paths point to build/deps.
settle_unpacked() {
    local link target file triple patchelf
    triple=$(c++ -print-multiarch)
    while IFS= read -r -d '' link; do
        target=$(readlink "$link")
        if [[ $target == /* && -e $deps$target ]]; then
            ln -sfn "$deps$target" "$link"
        elif [[ $target != /* && -e ${link%/*}/$target ]]; then
            continue
        elif [[ -e $(dirname "${link#"$deps"}")/$target ]]; then # the library itself is installed, only its -dev part was not
            ln -sfn "$(dirname "${link#"$deps"}")/$target" "$link"
        fi
    done < <(find "$deps" -xtype l -print0)
    find "$deps" -name '*.pc' -exec sed -i -E "s#^([a-z_]*prefix|libdir|includedir)=/usr#\1=$deps/usr#" {} +

    patchelf=$(PATH=$deps_path:$PATH command -v patchelf)
    while IFS= read -r -d '' file; do
        [[ $(head -c 4 "$file" | tr -d '\0') == $'\177ELF' ]] || continue
        [[ $file != "$patchelf" ]] || continue
        "$patchelf" --force-rpath --set-rpath "$deps/usr/lib/$triple:$deps/lib/$triple" "$file"
    done < <(find "$deps/usr/bin" "$deps/bin" "$deps/usr/lib/$triple" "$deps/lib/$triple" -maxdepth 1 -type f \
        \( -perm -u+x -o -name '*.so.*' \) -print0 2>/dev/null)

    cat >"$deps/toolchain.cmake" <<TOOLCHAIN
# Written by scripts/setup: lets CMake find what is unpacked here. Pass it as CMAKE_TOOLCHAIN_FILE.
list(PREPEND CMAKE_PREFIX_PATH "$deps/usr")
list(PREPEND CMAKE_INSTALL_RPATH "$deps/usr/lib/$triple")
foreach(language C CXX)
  set(CMAKE_\${language}_STANDARD_INCLUDE_DIRECTORIES "$deps/usr/include" "$deps/usr/include/$triple")
endforeach()
set(ENV{PKG_CONFIG_PATH} "$deps/usr/lib/$triple/pkgconfig:$deps/usr/share/pkgconfig:\$ENV{PKG_CONFIG_PATH}")
TOOLCHAIN
}
