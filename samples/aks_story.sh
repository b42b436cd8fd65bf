#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The story of the eTag article, from the resource group to the end of the cluster.
# It takes about half an hour on Azure; on `aks-etag mock serve` seconds: set AKS_ETAG_ENDPOINT and AZURE_SUBSCRIPTION_ID.
set -euo pipefail

rg=${RG:-rg-etag-story}
cluster=${CLUSTER:-etag-story}
region=${REGION:-westeurope}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say() { printf '%s\n' "$*"; }

# Run a command that is to end with a certain exit code, and with no other.
ends_with() {
  local wanted=$1 code=0
  shift
  "$@" 2>"$work/words" || code=$?
  if [[ $code -ne $wanted ]]; then
    cat "$work/words" >&2
    exit 1
  fi
}

at_cluster=(-g "$rg" -n "$cluster")
at_pool=(-g "$rg" --cluster-name "$cluster")

aks-etag group create -n "$rg" -l "$region" -o none
aks-etag create "${at_cluster[@]}" -l "$region" --node-count 3 -o none
say "created: $(aks-etag show "${at_cluster[@]}" --query provisioningState -o tsv)"
ends_with 4 aks-etag create "${at_cluster[@]}" -l "$region"
say "a second create never writes over it"

seen=$(aks-etag etag "${at_cluster[@]}")
aks-etag update "${at_cluster[@]}" --if-match "$seen" --set tags.team=red -o none
say "team: $(aks-etag show "${at_cluster[@]}" --query tags.team -o tsv)"

ends_with 4 aks-etag update "${at_cluster[@]}" --if-match "$seen" --set tags.team=blue -o none
say "whoever writes from an old read is refused: $(grep -c '^hint:' "$work/words") hint"
aks-etag tag "${at_cluster[@]}" cost-center=42 -o none
say "tags: $(aks-etag show "${at_cluster[@]}" --query "join(',', sort(keys(tags)))" -o tsv)"

aks-etag nodepool add "${at_pool[@]}" -n extra --node-count 1 -o none
aks-etag nodepool scale "${at_pool[@]}" -n extra --node-count 4 -o none
say "nodes: $(aks-etag nodepool list "${at_pool[@]}" --query '[].[name, count]' -o tsv | tr '\t' '=' | paste -sd ' ')"
ends_with 7 aks-etag nodepool scale "${at_pool[@]}" -n extra --node-count 2 -o none </dev/null
say "nodes do not go unasked"
aks-etag nodepool scale "${at_pool[@]}" -n extra --node-count 2 --yes -o none

aks-etag plan "${at_cluster[@]}" --set tags.team=green -o "$work/plan.json" --quiet
aks-etag tag "${at_cluster[@]}" reviewed=yes -o none
ends_with 4 aks-etag apply "$work/plan.json" -o none
say "a plan is not carried out on what it was not made from"
aks-etag apply "$work/plan.json" --rebase --quiet -o none
say "tags: $(aks-etag show "${at_cluster[@]}" --query "join(',', sort(values(tags)))" -o tsv)"

old=$(aks-etag nodepool etag "${at_pool[@]}" -n extra)
aks-etag nodepool update "${at_pool[@]}" -n extra --set nodeLabels.busy=yes -o none
ends_with 4 aks-etag nodepool delete "${at_pool[@]}" -n extra --if-match "$old" --yes
say "a pool that has changed since is not deleted"
aks-etag nodepool delete "${at_pool[@]}" -n extra --yes

aks-etag delete "${at_cluster[@]}" --yes --no-wait 2>"$work/words"
aks-etag wait "${at_cluster[@]}" --deleted --interval "${INTERVAL:-30}"
ends_with 3 aks-etag show "${at_cluster[@]}"
say "deleted"
