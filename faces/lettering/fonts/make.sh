#!/bin/sh
# Writes the fonts of this folder: make.sh FOLDER, where FOLDER has the unpacked
# packages that README.md names.
set -eu
cd "$(dirname "$0")"
new=$(mktemp -d)
trap 'rm -r "$new"' EXIT
/usr/bin/python3 subset.py "$1/usr/share" "$new"
for font in "$new"/*; do
	zstd --ultra -22 --quiet --force "$font" -o "$(basename "$font").zst"
done
