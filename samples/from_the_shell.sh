#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# eTags with nothing but curl, against an AKS on this machine: read a tag, write under it, and see the 412 of the second.
set -euo pipefail

work=$(mktemp -d)
echo '{"rg": {"prod": {"np1": {"count": 3}}}}' > "$work/seed.json"
mkfifo "$work/where"
aks-etag mock serve --seed "$work/seed.json" > "$work/where" &
trap 'rm -rf "$work"; kill %1' EXIT
read -r where < "$work/where" # It says where it is as soon as it can be asked.

value() { sed -E "s/.*\"$1\": ?\"?([^\",}]+).*/\\1/"; }
url=$(value endpoint <<< "$where")
subscription=$(value subscription <<< "$where")
cluster=$url/subscriptions/$subscription/resourceGroups/rg/providers/Microsoft.ContainerService/managedClusters/prod
pool="$cluster/agentPools/np1?api-version=2026-05-01"

scale() { # COUNT TAG: print the status of a PUT under this tag.
  curl -sS -o "$work/answer.json" -w '%{http_code}' -X PUT -H "If-Match: $2" -H 'Content-Type: application/json' \
    -d "{\"properties\": {\"count\": $1}}" "$pool"
}

tag=$(curl -sS "$pool" | value eTag)
echo "the first writer: $(scale 5 "$tag")"
echo "the second one, with the same tag: $(scale 9 "$tag") $(value code < "$work/answer.json")"
echo "the nodes that there are: $(curl -sS "$pool" | value count)"
echo "after a fresh look: $(scale 9 "$(curl -sS "$pool" | value eTag)")"
