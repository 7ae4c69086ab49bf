# shellcheck shell=bash
# The packages of packages.txt: installed as root, unpacked under build/deps without. Sourced by scripts/setup.
# shellcheck disable=SC2154 # build, setup_lib: set there

deps=$build/deps
deps_path=$deps/usr/bin:$deps/bin
apt_options=(-q -y -o Acquire::Retries=2 -o Acquire::http::Timeout=20 -o Acquire::https::Timeout=20
    -o DPkg::Lock::Timeout=120 -o Dpkg::Use-Pty=0 -o Dpkg::Options::=--force-confold)

# packages WHO...: names of the packages that are listed for any of WHO.
packages() {
    local who name wanted=" $* "
    while read -r who name; do
        [[ $wanted == *" $who "* ]] && printf '%s\n' "$name"
    done < <(grep -E '^[a-z]' "$setup_lib/packages.txt")
    return 0
}

# absent NAME...: those that dpkg does not have installed.
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
        say "packages: this is no Debian or Ubuntu (no apt-get); taking what is here"
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
                say "  not all lists could be read (build/log/apt-update.log); going on with what is there"
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

# Without root: what must be there because it cannot be unpacked.
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

# provide_clang: with libFuzzer, for scripts/fuzz. It is not unpacked: without root it must be on the machine.
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

# provide_check_tools TOOL...: for scripts/check. They are not unpacked: without root they must be on the machine.
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

# unpack_packages NAME...: they and what they need that is not installed, fetched and unpacked in build/deps.
unpack_packages() {
    local wanted=("$@") tools stage=$build/deps.new
    mapfile -t tools < <(packages unpack)
    mapfile -t -O "${#wanted[@]}" wanted < <(absent "${tools[@]}")
    local inputs=("$deps" "$(<"$setup_lib/packages.sh")" "${wanted[@]}")
    unchanged "$deps/.stamp" "${inputs[@]}" && [[ -f $deps/toolchain.cmake ]] && return

    private=(-o "Dir::State::lists=$build/apt/lists" -o "Dir::Cache=$build/apt/cache" -o APT::Sandbox::User=)
    rm -rf "$stage"
    mkdir -p "$build/apt/lists/partial" "$build/apt/cache/archives/partial" "$stage"
    apt_view=()
    fetch_packages "$stage" "${wanted[@]}" || {
        say "packages: reading the package lists into build/apt (the machine's own are absent or old)"
        apt_view=("${private[@]}")
        persist 300 apt-update apt-get "${apt_options[@]}" "${private[@]}" update ||
            say "  not all lists could be read (build/log/apt-update.log); going on with what is there"
        fetch_packages "$stage" "${wanted[@]}" || {
            show_log apt-plan 6
            fail "cannot fetch the packages ${wanted[*]}" \
                "$(why_no_archive)run this again when it answers, or ask your administrator for: apt-get install $*"
        }
    }
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

# fetch_packages FOLDER NAME...: downloads them and what they need, as apt would install them.
fetch_packages() {
    local folder=$1 names
    shift
    apt-get "${apt_view[@]}" -s -q install --no-install-recommends "$@" >"$build/log/apt-plan.log" 2>&1 || return 1
    mapfile -t names < <(sed -nE 's/^Inst ([^ ]+) (\[[^]]*\] )?\(([^ ]+) .*/\1=\3/p' "$build/log/apt-plan.log")
    ((${#names[@]} > 0)) || return 1
    say "packages: fetching ${#names[@]} into build/deps"
    persist 900 apt-download env -C "$folder" apt-get "${apt_options[@]}" "${apt_view[@]}" download "${names[@]}"
}

# What is unpacked was made for /usr: turn links, pkg-config files and library paths towards build/deps.
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
