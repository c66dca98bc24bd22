#!/bin/sh
# Writes the fonts of this folder: make.sh FOLDER, where FOLDER has the unpacked
# packages that README.md names.
set -eu
cd "$(dirname "$0")"
new=$(mktemp -d)
trap 'rm -r "$new"' EXIT
/usr/bin/python3 subset.py "$1/usr/share" "$new"
for font in "$new"/*; do
	xz --check=crc32 --lzma2=preset=9e,dict=4MiB,lc=3,pb=0 --stdout "$font" >"$(basename "$font").xz"
done
