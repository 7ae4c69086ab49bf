#!/bin/sh
# fetch_debian_mpich.sh FOLDER: unpacks the `mpich` packages of this distribution below FOLDER/root. It needs no root
# rights and installs nothing. FOLDER/root/usr is then the prefix of this MPI. Prints FOLDER/root/usr/lib/TRIPLET, which
# must be put into LD_LIBRARY_PATH. If this is not possible, ends with exit code 77 and the reason.
set -u
skip() { echo "$*" >&2; exit 77; }
mkdir -p "$1" && cd "$1" || exit 1
for tool in apt-get dpkg-deb; do
    command -v "$tool" >/dev/null || skip "this is no Debian: no $tool"
done

if [ ! -e complete ]; then
    rm -rf root ./*.deb
    needed=$(apt-cache depends mpich libmpich-dev 2>/dev/null | sed -n 's/^ *Depends: \(lib\(mpich\|slurm\|hwloc\)[0-9][^ ]*\)$/\1/p' | sort -u)
    # shellcheck disable=SC2086
    more=$(apt-cache depends $needed 2>/dev/null | sed -n 's/^ *Depends: \(libucx[0-9][^ ]*\)$/\1/p' | sort -u)
    # shellcheck disable=SC2086
    apt-get -q download mpich libmpich-dev $needed $more >download.log 2>&1 ||
        skip "cannot download Debian's mpich: $(grep -m1 '^E:' download.log)"
    for package in ./*.deb; do dpkg-deb -x "$package" root || exit 1; done
    # The compiler wrapper contains its prefix: set the new prefix.
    sed -i "s#=/usr#=$PWD/root/usr#" root/usr/bin/mpicc.mpich || exit 1
    touch complete
fi
libraries=$(dirname "$(find "$PWD/root/usr/lib" -name 'libmpich.so.*' | head -1)")
device=$(LD_LIBRARY_PATH=$libraries root/usr/bin/mpichversion | sed -n 's/^MPICH Device:[[:space:]]*//p')
[ -n "$device" ] || skip "Debian's mpich does not start here"
[ "$device" = ch4:ucx ] || skip "this distribution's mpich has another device than Debian's: $device"
echo "$libraries"
