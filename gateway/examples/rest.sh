#!/usr/bin/env bash
# Converts one file over REST: rest.sh IN TO OUT. FILEMILL_SERVER and FILEMILL_API_KEY say where and with which key.
set -euo pipefail

curl --fail-with-body --silent --show-error \
  -H "Authorization: Bearer $FILEMILL_API_KEY" \
  -F to="$2" -F file=@"$1" \
  -o "$3" "$FILEMILL_SERVER/api/v1/convert?download=1"
