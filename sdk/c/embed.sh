#!/bin/sh
# Appends a plugin's manifest.json to its compiled module: embed.sh MODULE OUT FOLDER writes OUT/NAME.wasm and its digest.
set -eu
module=$(realpath "$1")
out=$(realpath "$2")
folder=$(realpath "$3")
cd "$(dirname "$0")/../../tools"
GOWORK=off exec go run ./wasmbuild -root / -raw -out "$out" -module "$module" "$folder"
