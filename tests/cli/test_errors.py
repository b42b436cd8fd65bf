# SPDX-License-Identifier: MIT
"""How commands fail: in three lines, with a code of their own for each kind, and with nothing lost."""

from __future__ import annotations

import pytest

from aks_etag.mock import MockAks
from tests.cli.served import CLUSTER, POOL, Inside, World

SCALE = ("nodepool", "scale", *POOL, "-c", "9")


def throttled(mock: MockAks) -> None:
    mock.inject(method="PUT", effect=429, headers={"Retry-After": "3600"})


def operation_fails(mock: MockAks) -> None:
    mock.fail_operation("QuotaExceeded", "not enough cores")


def lost(mock: MockAks) -> None:
    # The answer is lost, and nobody may look what became of it.
    mock.inject(method="PUT", phase="after", effect="reset")
    mock.inject(method="GET", effect=403, nth=2)


def busy(mock: MockAks) -> None:
    mock.set_state("rg", "prod", state="Updating")


@pytest.mark.parametrize(
    ("prepare", "words", "code", "said"),
    [
        pytest.param(None, ["show", "-g", "rg", "-n", "nope"], 3, "does not exist", id="3-not-found"),
        pytest.param(None, [*SCALE, "--if-match", "stale"], 4, 'asked for version "stale"', id="4-precondition-failed"),
        pytest.param(busy, ["update", *CLUSTER, "--set", "tags.a=1", "--force"], 5, "blocked by", id="5-busy"),
        pytest.param(throttled, [*SCALE, "--if-match", "*"], 6, "429", id="6-throttled"),
        pytest.param(None, ["nodepool", "scale", *POOL, "-c", "1"], 7, "takes nodes away", id="7-refused-locally"),
        pytest.param(lost, [*SCALE], 8, "may still be applied", id="8-outcome-unknown"),
        pytest.param(operation_fails, [*SCALE], 9, "QuotaExceeded", id="9-operation-failed"),
        pytest.param(busy, ["update", *CLUSTER, "--set", "tags.a=1", "--timeout", "0.1"], 10, "passed while", id="10"),
    ],
)
def test_each_kind_of_failure_has_its_code(
    world: World, prepare: object, words: list[str], code: int, said: str
) -> None:
    if callable(prepare):
        prepare(world.mock)
    ran = world.run(*words)
    assert ran.refusal[0] == code
    assert (ran.out, said in ran.refusal[1]) == ("", True), ran.err
    assert ran.err.splitlines()[-1].startswith("hint: ")
    assert [line.partition(":")[0] for line in ran.err.splitlines()] in (
        ["error", "hint"], ["error", "state", "hint"], ["error", "state", "note", "hint"])  # fmt: skip


def test_codes_of_usage_and_of_all_else(world: World) -> None:
    assert world.run("show", "-g", "rg").refusal[0] == 2
    assert world.run().code == 2
    world.mock.inject(method="GET", effect=403, times=2)
    ran = world.run("show", *CLUSTER)
    assert ran.refusal[0] == 1
    assert "403 AuthorizationFailed" in ran.refusal[1]
    assert ran.err.splitlines()[-1] == "hint: aks-etag doctor checks credential and permissions"


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (401, {"error": {"code": "AuthenticationFailed", "message": "no"}}, "the token is not accepted"),
        (401, {"error": {"code": "ExpiredAuthenticationToken", "message": "old"}}, "the token has expired"),
        (403, {"error": {"code": "AuthorizationFailed", "message": "no"}}, "the credential lacks a role"),
        (403, {"error": {"code": "RequestDisallowedByPolicy", "message": "no"}}, "the policies in force"),
        (400, {"error": {"code": "InvalidApiVersionParameter", "message": "no"}}, "choose another with --api-version"),
        (418, "<html>", "418"),
    ],
)
@pytest.mark.parametrize("words", [("show", *CLUSTER), (*SCALE,), ("delete", *CLUSTER, "-y")])
def test_a_refusal_of_the_service_is_told_at_once(
    inside: Inside, words: tuple[str, ...], status: int, body: object, said: str
) -> None:
    inside.world.mock.inject(effect=status, body=body, times=99)
    ran = inside.run(*words)
    assert ran.refusal[0] == 1
    assert said in ran.refusal[1]
    assert "choose another with --api-version;" not in ran.err
    assert inside.world.writes == []


@pytest.mark.parametrize(
    ("words", "endpoint", "code", "said"),
    [
        pytest.param(["show", *CLUSTER], "http://127.0.0.1:9", 1,
                     "error: http://127.0.0.1:9 cannot be reached: Connection refused", id="refused"),
        pytest.param(["create", "-g", "rg", "-n", "x", "-l", "x"], "http://127.0.0.1:9", 1,
                     "error: http://127.0.0.1:9 cannot be reached: Connection refused", id="refused-a-write"),
        pytest.param([*SCALE], "https{port}", 1, "cannot be reached: [SSL", id="no-tls-there"),
        pytest.param([*SCALE], "http://example.com", 2, "over plain http only to this machine", id="plain-http"),
        pytest.param([*SCALE], "ftp://127.0.0.1", 2, "--endpoint 'ftp://127.0.0.1'", id="no-http"),
        pytest.param([*SCALE], "", 2, "--endpoint is empty", id="empty"),
    ],
)  # fmt: skip
def test_an_endpoint_that_is_none_is_told_soon(
    inside: Inside, words: list[str], endpoint: str, code: int, said: str
) -> None:
    ran = inside.run(*words, "--endpoint", endpoint.replace("{port}", inside.world.url.removeprefix("http")))
    assert ran.refusal[0] == code
    assert said in ran.refusal[1]
    assert ran.err.splitlines()[-1] == "hint: check the network, --endpoint and --cloud" or code == 2
    assert inside.world.mock.journal == []


def test_a_service_that_is_away_for_a_while_is_waited_for(inside: Inside) -> None:
    inside.world.mock.inject(method="GET", effect="reset")
    assert inside.run("show", *CLUSTER, "--query", "name").out == '"prod"\n'


def test_without_a_credential_it_is_said_how_to_sign_in(world: World) -> None:
    # Nothing is asked outside of this machine: the managed identity's address is not there without these.
    ran = world.run("show", *CLUSTER, "--endpoint", "https://localhost:9", AKS_ETAG_TOKEN="a\nb")
    assert ran.refusal[0] == 1
    assert "control character" in ran.refusal[1]
    assert "a\nb" not in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "-g", "rg", "-n", "a/../b"], "'a/../b' is not a valid cluster name"),
        (["show", "-g", "rg/x", "-n", "prod"], "'rg/x' is not a valid resource group name"),
        (["show", "-g", "rg", "-n", "prod?x=1"], "is not a valid cluster name"),
        (["show", "-g", "rg", "-n", "prod\nX: 1"], "is not a valid cluster name"),
        (["show", *CLUSTER, "--subscription", "a/../b"], "is not a valid subscription id"),
        (["nodepool", "show", "-g", "rg", "--cluster-name", "prod", "-n", "../x"], "is not a valid agent pool name"),
        (["list", "-g", "a/b"], "is not a valid resource group name"),
        (["group", "create", "-n", "a/b", "-l", "x"], "is not a valid resource group name"),
    ],
)
def test_a_name_cannot_lead_elsewhere(inside: Inside, words: list[str], said: str) -> None:
    ran = inside.run(*words)
    assert ran.refusal[0] == 7
    assert said in ran.refusal[1]
    assert inside.world.mock.journal == []


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["show", "-g", "", "-n", "prod"], "--resource-group is empty: is a shell variable not set?"),
        (["show", "-g", " ", "-n", "prod"], "--resource-group is empty"),
        (["show", "-n", "prod"], "--resource-group is missing: give -g, or az configure --defaults group=RG"),
        (["list", "-g", ""], "--resource-group is empty"),
        (["show", *CLUSTER, "--query", ""], "--query is empty"),
        (["show", *CLUSTER, "--subscription", ""], "--subscription is empty"),
        (["show", *CLUSTER, "--api-version", ""], "--api-version is empty"),
        (["show", *CLUSTER, "--api-version", "x&y"], "--api-version 'x&y' is not a version"),
        (["show", *CLUSTER, "--cloud", "AzureGermanCloud"], "--cloud AzureGermanCloud is not known"),
        (["nodepool", "scale", *POOL, "-c", ""], "'' is not a valid integer"),
        (["show", *CLUSTER, "extra"], "unexpected extra argument"),
        (["apply", ""], "PLAN is empty"),
        (["apply", "nowhere.json"], "No such file or directory"),
    ],
)
def test_what_is_missing_or_empty_is_refused_as_usage(inside: Inside, words: list[str], said: str) -> None:
    ran = inside.run(*words)
    assert ran.refusal[0] == 2
    assert said in ran.refusal[1]
    assert inside.world.mock.journal == []


def test_output_that_cannot_be_written_is_told_and_the_write_stands(world: World) -> None:
    ran = world.shell("aks show -g rg -n prod > /dev/full")
    assert (ran.code, ran.err) == (1, "error: the output: No space left on device\n")
    ran = world.shell("aks tag -g rg -n prod a=1 > /dev/full")
    assert (ran.code, ran.err.splitlines()) == (
        1,
        ["error: the output: No space left on device", "note: only the output failed, the write did not: updated"],
    )
    assert world.mock.body("rg", "prod")["tags"] == {"a": "1"}
    ran = world.shell("aks etag -g rg -n prod >&-")
    assert (ran.code, ran.err) == (1, "error: standard output is closed: the result has nowhere to go\n")
    ran = world.shell("aks tag -g rg -n prod a=2 -o none >&-")
    assert (ran.code, ran.err) == (0, "")


def test_a_reader_that_leaves_early_is_no_failure_to_tell(world: World) -> None:
    ran = world.shell("aks show -g rg -n prod | head -1")
    assert (ran.code, ran.out, ran.err) == (0, "{\n", "")


def test_no_secret_is_shown(world: World) -> None:
    file = world.file("p.json", {"properties": {"windowsProfile": {"adminPassword": "hunter2"}}})
    for words in (["-v", "-o", "none"], ["-v", "--dry-run"], ["-v", "--if-match", "stale"]):
        ran = world.run("update", *CLUSTER, "--patch", file, *words, "--timeout", "30", AKS_ETAG_TOKEN="s3cret")
        assert "hunter2" not in ran.out + ran.err
        assert "s3cret" not in ran.out + ran.err
