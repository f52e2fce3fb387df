#!/usr/bin/env bash
# The plugin's tests in a newer QGIS, in a Debian of its own: run_in_chroot.sh FOLDER [SUITE [BACKPORTS]]
#
#   run_in_chroot.sh /var/tmp/q340 trixie                       QGIS 3.40
#   run_in_chroot.sh /var/tmp/q344 trixie trixie-backports      QGIS 3.44
#
# Needs root, debootstrap, pip and some 2 GB. An existing FOLDER is used again. Remove: umount FOLDER/proc; rm -r FOLDER
set -euo pipefail
folder=$1 suite=${2:-trixie} backports=${3:-}
project=$(realpath "$(dirname "$0")/../..")
mirror=$(awk '/^URIs:/ { print $2; exit } /^deb / { print $2; exit }' /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list 2>/dev/null)

if [ ! -x "$folder/usr/bin/qgis" ]; then
    debootstrap --variant=minbase "$suite" "$folder" "$mirror"
    from=()
    if [ -n "$backports" ]; then
        echo "deb $mirror $backports main" >"$folder/etc/apt/sources.list.d/backports.list"
        from=(-t "$backports")
    fi
    mount -t proc proc "$folder/proc"
    chroot "$folder" apt-get update -qq
    # pytest-qgis is not in Debian, and nothing but Python: its wheel is unpacked where Debian's Python looks
    python3 -m pip download -q --no-deps --dest "$folder/wheels" pytest-qgis
    chroot "$folder" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        "${from[@]}" qgis python3-qgis python3-pytest python3-numpy python3-pyproj xvfb xauth fonts-open-sans >/dev/null
    chroot "$folder" sh -c 'python3 -m zipfile -e /wheels/pytest_qgis-*.whl \
        "$(python3 -c "import sysconfig; print(sysconfig.get_path(\"purelib\"))")"'
fi
mountpoint -q "$folder/proc" || mount -t proc proc "$folder/proc"
rm -rf "$folder/project"
mkdir "$folder/project"
(cd "$project" && cp -r LICENSE spl_gis qgis_plugin sample_data tests "$folder/project/")
chroot "$folder" python3 -c 'from qgis.core import Qgis; print("QGIS", Qgis.QGIS_VERSION)'
chroot "$folder" sh -c 'cd /project && QT_QPA_PLATFORM=offscreen python3 -m pytest -q --rootdir=/tmp -c tests/qgis/pytest.ini tests/qgis'
