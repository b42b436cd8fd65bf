# SPDX-License-Identifier: MIT
"""What nobody could verify about the service, or what a test may want otherwise: one field each."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal


@dataclass(slots=True, kw_only=True)
class Switches:
    """The switches of one mock; they may be turned while it runs."""

    operation_polls: int = 1
    location: str = "region1"
    page_size: int = 100
    operation_seconds: float | None = None
    accept_quotes: bool = True
    actions_move_tags: bool = True
    autoscaler_moves_tag: bool = True
    bad_condition_message: str = ""
    busy_answer: Literal["operation", "operation id", "state", "etag mismatch"] = "operation"
    busy_first: bool = False
    cluster_tag_moves: Literal["completion", "accept"] = "completion"
    failed_moves_tag: bool = False
    keep_empty_maps: bool = False
    lower_etag_api_versions: Collection[str] = ()
    none_match_elsewhere: Literal["ignored", "refused", "honoured"] = "ignored"
    omitted_pools_move: bool = True
    partial_pools: Literal["keep", "remove"] = "keep"
    patch_moves_tag: bool = True
    patch_runs: bool = False
    patch_tags: Literal["replace", "merge"] = "replace"
    pool_patch_status: Literal[405, 404, 400] = 405
    pools_block_each_other: bool = False
    refused_writes_cost: bool = True
    require_token: bool = False
    running_shows: Literal["new", "old"] = "new"
    stale_code: Literal["PreconditionFailed", "PreConditionFailed"] = "PreconditionFailed"
    stale_message: str = ""
    state_must_match: bool = True
    tag_on_create: bool = False
    tagless_api_versions: Collection[str] = ()
    throttle: bool = False
