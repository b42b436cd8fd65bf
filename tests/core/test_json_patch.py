# SPDX-License-Identifier: MIT
"""JSON Patch as a change: what the RFC shows, and what is said of an operation that cannot be performed."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
import traceback
from typing import Any

import pytest

from aks_etag import InvalidPreconditionError, JsonPatchError, kubernetes
from aks_etag._core.changes import applied, is_idempotent_at
from aks_etag._core.json_patch import JsonPatch, json_patch
from aks_etag.kubernetes import _patches

SECRET = "hunter2"

# RFC 6902, appendix A: the examples whose target is an object and that succeed.
RFC = [
    ("A.1", {"foo": "bar"}, [{"op": "add", "path": "/baz", "value": "qux"}], {"baz": "qux", "foo": "bar"}),
    ("A.2", {"foo": ["bar", "baz"]}, [{"op": "add", "path": "/foo/1", "value": "q"}], {"foo": ["bar", "q", "baz"]}),
    ("A.3", {"baz": "qux", "foo": "bar"}, [{"op": "remove", "path": "/baz"}], {"foo": "bar"}),
    ("A.4", {"foo": ["a", "b", "c"]}, [{"op": "remove", "path": "/foo/1"}], {"foo": ["a", "c"]}),
    ("A.5", {"a": 1, "foo": "b"}, [{"op": "replace", "path": "/a", "value": "c"}], {"a": "c", "foo": "b"}),
    ("A.6", {"a": {"x": 1, "y": 2}, "b": {}}, [{"op": "move", "from": "/a/x", "path": "/b/z"}],
     {"a": {"y": 2}, "b": {"z": 1}}),
    ("A.7", {"foo": ["a", "g", "c", "e"]}, [{"op": "move", "from": "/foo/1", "path": "/foo/3"}],
     {"foo": ["a", "c", "e", "g"]}),
    ("A.8", {"a": "q", "f": ["a", 2]}, [{"op": "test", "path": "/a", "value": "q"},
                                        {"op": "test", "path": "/f/1", "value": 2}], {"a": "q", "f": ["a", 2]}),
    ("A.10", {"foo": "bar"}, [{"op": "add", "path": "/child", "value": {"g": {}}}], {"foo": "bar", "child": {"g": {}}}),
    ("A.11", {"foo": "bar"}, [{"op": "add", "path": "/baz", "value": "qux", "xyz": 1}], {"foo": "bar", "baz": "qux"}),
    ("A.14", {"/": 9, "~1": 10}, [{"op": "test", "path": "/~01", "value": 10}], {"/": 9, "~1": 10}),
    ("A.16", {"f": ["b"]}, [{"op": "add", "path": "/f/-", "value": ["a", "d"]}], {"f": ["b", ["a", "d"]]}),
    ("copy", {"a": {"x": 1}}, [{"op": "copy", "from": "/a", "path": "/b"}], {"a": {"x": 1}, "b": {"x": 1}}),
    ("whole", {"a": 1}, [{"op": "replace", "path": "", "value": {"b": 2}}], {"b": 2}),
    ("nothing", {"a": 1}, [], {"a": 1}),
]  # fmt: skip


@pytest.mark.parametrize(("target", "operations", "result"), [row[1:] for row in RFC], ids=[row[0] for row in RFC])
def test_a_json_patch_does_as_the_rfc_shows(target: Any, operations: Any, result: Any) -> None:
    before = copy.deepcopy((target, operations))
    assert applied(json_patch(operations), target) == result
    assert (target, operations) == before


def test_a_json_patch_is_fixed_when_it_is_built_and_may_run_again() -> None:
    operations = [
        {"op": "add", "path": "/a", "value": {"b": [1]}},
        {"op": "add", "path": "/a/b/-", "value": 2},
    ]
    change = json_patch(operations)
    operations[0]["value"]["b"].append(7)  # type: ignore[index]
    assert [applied(change, {}), applied(change, {})] == [{"a": {"b": [1, 2]}}] * 2


FAILED = [
    ("test-differs", {"op": "test", "path": "/a", "value": SECRET}, "/a", "not what it tests for"),
    ("test-absent", {"op": "test", "path": "/none", "value": SECRET}, "/none", "not what it tests for"),
    ("remove-absent", {"op": "remove", "path": "/none"}, "/none", "not there"),
    ("replace-absent", {"op": "replace", "path": "/none", "value": SECRET}, "/none", "not there"),
    ("add-below-absent", {"op": "add", "path": "/x/y", "value": SECRET}, "/x/y", "not there"),
    ("add-below-a-number", {"op": "add", "path": "/n/y", "value": SECRET}, "/n/y", "not there"),
    ("beyond-a-list", {"op": "replace", "path": "/l/7", "value": SECRET}, "/l/7", "not there"),
    ("no-index", {"op": "replace", "path": "/l/x", "value": SECRET}, "/l/x", "not there"),
    ("move-from-absent", {"op": "move", "from": "/none", "path": "/a"}, "/a", "not there"),
    ("move-from-the-end", {"op": "move", "from": "/l/-", "path": "/a"}, "/a", "not"),
    ("no-value", {"op": "add", "path": "/a"}, "/a", "not an operation"),
    ("no-path", {"op": "add", "value": SECRET}, None, "not an operation"),
    ("a-number-for-a-path", {"op": "add", "path": 7, "value": SECRET}, None, ""),
    ("unknown", {"op": "increment", "path": "/a", "value": SECRET}, "/a", "not an operation"),
]


@pytest.mark.parametrize(("operation", "path", "why"), [row[1:] for row in FAILED], ids=[row[0] for row in FAILED])
def test_an_operation_that_fails_is_named_without_its_value(operation: Any, path: str | None, why: str) -> None:
    change = json_patch([{"op": "test", "path": "/n", "value": 1}, operation])
    with pytest.raises(JsonPatchError, match=f"operation 1 .*{why}.*nothing was sent") as raised:
        applied(change, {"a": "also-" + SECRET, "n": 1, "l": [1]})
    error = raised.value
    assert (error.index, error.path) == (1, path)
    assert str(path or "no path") in str(error)
    assert SECRET not in "".join(traceback.format_exception(error))
    assert SECRET not in repr(change)
    assert isinstance(error, InvalidPreconditionError | ValueError)
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.index, again.path) == (str(error), 1, path)


@pytest.mark.parametrize("value", [None, 7, [1], "x"], ids=repr)
def test_a_patch_that_leaves_no_object_is_refused(value: Any) -> None:
    with pytest.raises(JsonPatchError, match="instead of a body"):
        applied(json_patch([{"op": "replace", "path": "", "value": value}]), {"a": 1})


@pytest.mark.parametrize("operations", [{"op": "add"}, "add", [7], [["op", "add"]]], ids=repr)
def test_what_is_no_list_of_operations_is_refused(operations: Any) -> None:
    with pytest.raises(TypeError, match="a list of operations"):
        json_patch(operations)


def test_it_is_one_value_for_both_planes() -> None:
    assert kubernetes.json_patch is json_patch
    assert _patches.JsonPatch is JsonPatch
    assert json_patch([]).content_type == "application/json-patch+json"


@pytest.mark.parametrize(("op", "idempotent"), [("add", True), ("replace", True), ("remove", False)])
def test_an_operation_on_a_member_that_sets_it_is_idempotent(op: str, idempotent: bool) -> None:
    change = json_patch([{"op": op, "path": "/a", "value": 2}])
    if idempotent:
        assert is_idempotent_at(change, {"a": 1})
    else:
        with pytest.raises(JsonPatchError):
            is_idempotent_at(change, {"a": 1})


def test_the_library_is_loaded_when_a_patch_runs() -> None:
    program = """
import sys
from aks_etag import json_patch
change = json_patch([{"op": "add", "path": "/a", "value": 1}])
assert "jsonpatch" not in sys.modules
assert change({}) == {"a": 1}
"""
    subprocess.run([sys.executable, "-c", program], check=True)
