# SPDX-License-Identifier: MIT
"""What az was told before is known here, too."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from aks_etag.cli._config import Defaults, defaults
from tests.cli.served import World

ONE, TWO, CHINA = (f"{digit * 8}-0000-0000-0000-000000000000" for digit in "123")
PROFILE = {
    "subscriptions": [
        {"id": ONE, "name": "One", "isDefault": False, "environmentName": "AzureCloud"},
        {"id": TWO, "name": "Two", "isDefault": True, "environmentName": "AzureCloud"},
        {"id": CHINA, "name": "Three", "isDefault": True, "environmentName": "AzureChinaCloud"},
    ]
}
CONFIG = "[defaults]\ngroup = rg\nlocation = region1\n\n[core]\noutput = 100%\n"


def az(home: Path, *, profile: object = PROFILE, config: str = CONFIG) -> dict[str, str]:
    """Write az's files; return the environment that leads to them."""
    folder = home / ".azure"
    folder.mkdir(exist_ok=True)
    text = profile if isinstance(profile, str) else json.dumps(profile)
    (folder / "azureProfile.json").write_text(text, "utf-8-sig")
    (folder / "config").write_text(config, "utf-8")
    return {"AZURE_CONFIG_DIR": str(folder)}


def test_account_and_configure_are_taken(tmp_path: Path) -> None:
    found = defaults(environment=az(tmp_path))
    assert found == Defaults(None, TWO, "rg", "region1", {"one": ONE, "two": TWO})


def test_the_environment_wins(tmp_path: Path) -> None:
    said = {"AZURE_SUBSCRIPTION_ID": ONE, "AZURE_DEFAULTS_GROUP": "other", "AZURE_DEFAULTS_LOCATION": "x"}
    found = defaults(environment={**az(tmp_path), **said})
    assert (found.subscription, found.group, found.location) == (ONE, "other", "x")
    assert defaults(environment={**az(tmp_path), "AZURE_SUBSCRIPTION_ID": ""}).subscription == TWO


@pytest.mark.parametrize("cloud", ["AzureChinaCloud", "azurechinacloud"])
def test_a_subscription_is_one_of_the_cloud(tmp_path: Path, cloud: str) -> None:
    """Each cloud has a default of its own."""
    assert defaults(cloud, az(tmp_path)).subscription == CHINA
    assert defaults(environment=az(tmp_path, config=f"[cloud]\nname = {cloud}\n")).subscription == CHINA
    assert defaults(environment={**az(tmp_path), "AZURE_CLOUD_NAME": cloud}).cloud == cloud


@pytest.mark.parametrize("profile", ["", "{", "[]", "{}", '{"subscriptions": [{}]}', '{"subscriptions": null}', "\0"])
@pytest.mark.parametrize("config", ["", "[defaults", "group = rg", "[defaults]\ngroup =\n", "[DEFAULT]\ngroup = x\n"])
def test_files_that_are_broken_say_nothing(tmp_path: Path, profile: str, config: str) -> None:
    assert defaults(environment=az(tmp_path, profile=profile, config=config)) == Defaults(named={})


def test_commands_go_where_az_was_told_to(world: World) -> None:
    folder = az(world.home, profile={"subscriptions": [{"id": world.mock.subscription_id, "name": "Dev & Test",
                                                        "isDefault": True}]})  # fmt: skip
    assert world.run("show", "-n", "prod", "--query", "name", AZURE_SUBSCRIPTION_ID=None).out == '"prod"\n'
    # By its name, as az takes it.
    ran = world.run(
        "list", "--subscription", "dev & test", "--query", "[].name", "-o", "tsv", AZURE_SUBSCRIPTION_ID=ONE
    )
    assert (ran.code, ran.out) == (0, "prod\n")
    (Path(folder["AZURE_CONFIG_DIR"]) / "azureProfile.json").unlink()
    ran = world.run("show", "-n", "prod", AZURE_SUBSCRIPTION_ID=None)
    assert ran.refusal == (
        2, "error: --subscription is missing: give it, or set AZURE_SUBSCRIPTION_ID, or az login")  # fmt: skip
