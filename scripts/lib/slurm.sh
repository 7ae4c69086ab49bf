# shellcheck shell=bash
# Slurm, munge and MariaDB for 'ductile cluster up --slurm'. Sourced by scripts/setup, after packages.sh.
# shellcheck disable=SC2154 # build, setup_lib: set there

# provide_slurm: unpacks Slurm, munge and MariaDB in build/slurm. Does not install them, because that would start daemons on this
# machine.
provide_slurm() {
    local names missing stage=$build/slurm.new slurm=$build/slurm
    check_can_fetch_slurm
    mapfile -t names < <(packages slurm)
    mapfile -t missing < <(absent "${names[@]}")
    ((${#missing[@]} > 0)) || return 0 # they are installed on this machine
    local inputs=("$slurm" "$(<"$setup_lib/slurm.sh")" "${names[@]}")
    ! unchanged "$slurm/.stamp" "${inputs[@]}" || return 0
    rm -rf "$stage"
    mkdir -p "$stage"
    fetch_with_lists "$stage" "${names[@]}" ||
        fail "cannot fetch the packages ${names[*]}" \
            "$(why_no_archive)run this again when it answers"
    unpack_slurm "$stage" "$stage"/*.deb
    rm -rf "$slurm" "$build/apt"
    mv "$stage" "$slurm"
    mark_done "$slurm/.stamp" "${inputs[@]}"
}

# provide_slurm_24_11: unpacks the same programs from Debian 13 in build/slurm-24.11, with all libraries that they need, including
# libc, because the machine may have an older Debian. Exception: libmariadb3 is from Debian 12. With the one of Debian 13 (11.8.9)
# slurmdbd 24.11.5 ends immediately.
provide_slurm_24_11() {
    local names archive stage=$build/slurm-24.11.new slurm=$build/slurm-24.11
    check_can_fetch_slurm
    mapfile -t names < <(packages slurm)
    names+=(libmariadb3/bookworm)
    local inputs=("$slurm" "$(<"$setup_lib/slurm.sh")" "${names[@]}")
    ! unchanged "$slurm/.stamp" "${inputs[@]}" || return 0
    read_lists_of_debian trixie bookworm
    rm -rf "$stage"
    mkdir -p "$stage"
    fetch_packages "$stage" "${names[@]}" || {
        show_log apt-plan 6
        fail "cannot fetch the packages ${names[*]} of Debian 13" "$(why_no_archive)run this again when it answers"
    }
    compgen -G "$stage/slurmctld_24.11.*.deb" >/dev/null || fail "the Slurm of Debian 13 is no longer 24.11"
    # The other packages are for a whole system: systemd, passwd, Perl.
    unpack_slurm "$stage" "$stage"/{slurm,munge,mariadb-server-core,lib}*.deb
    for archive in "$stage"/*.deb; do rm "$archive"; done
    rm -rf "$slurm" "$build/apt"
    mv "$stage" "$slurm"
    mark_done "$slurm/.stamp" "${inputs[@]}"
}

check_can_fetch_slurm() {
    command -v apt-get dpkg-deb >/dev/null && return
    fail "cannot fetch Slurm: this is not Debian or Ubuntu (no apt-get)" \
        "install Slurm, munge and MariaDB, or name a folder in which they are unpacked in DUCTILE_SLURM"
}

# read_lists_of_debian RELEASE...: reads the package lists of these releases into build/apt, from the archive that this machine's
# apt uses. Sets apt_view to options by which apt uses these lists and takes no package for installed. So apt fetches everything
# that a package needs.
read_lists_of_debian() {
    local archive release keys=/usr/share/keyrings/debian-archive-keyring.gpg options='' apt=$build/apt
    archive=$(debian_archive)
    [[ -n $archive ]] || fail "cannot fetch Debian 13's packages: apt on this machine is not set up with an archive of Debian"
    [[ ! -e $keys ]] || options="[signed-by=$keys] "
    rm -rf "$apt"
    mkdir -p "$apt"/{lists/partial,cache/archives/partial}
    : >"$apt/status"
    for release in "$@"; do printf 'deb %s%s %s main\n' "$options" "$archive" "$release"; done >"$apt/sources.list"
    apt_view=(-o "Dir::Etc::sourcelist=$apt/sources.list" -o Dir::Etc::sourceparts=/dev/null
        -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null -o APT::Default-Release=
        -o "Dir::State::lists=$apt/lists" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
        -o APT::Sandbox::User= -o Acquire::Languages=none)
    persist 300 apt-update apt-get "${apt_options[@]}" "${apt_view[@]}" --error-on=any update || {
        show_log apt-update 6
        fail "cannot read the package lists of Debian ($*)" "run this again when the package archive answers"
    }
}

# debian_archive: prints the address of the archive of Debian among apt's sources; nothing if there is none.
debian_archive() {
    # shellcheck disable=SC2016 # apt expands them
    apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
        sed -n 's/^Debian|Debian|//p' | sort -u | head -n 1
}

# unpack_slurm FOLDER ARCHIVE...: unpacks the archives in FOLDER, and removes the archives. Keeps only FOLDER/usr, which the virtual
# hosts see over the machine's own /usr.
unpack_slurm() {
    local folder=$1 archive program
    shift
    for archive in "$@"; do
        dpkg-deb -x "$archive" "$folder"
        rm "$archive"
    done
    # Copies lib to usr/lib, as on a machine whose /lib is a link to usr/lib.
    [[ ! -d $folder/lib ]] || cp -a "$folder/lib/." "$folder/usr/lib/"
    # Debian makes these links when it installs the packages.
    for program in slurmctld slurmd slurmstepd; do
        [[ ! -e $folder/usr/sbin/$program-wlm ]] || ln -sf "$program-wlm" "$folder/usr/sbin/$program"
    done
    rm -rf "${folder:?}"/{etc,lib,var}
}
