# SPDX-License-Identifier: MIT
"""CPU time of commands beside bare Python, az and a script with the SDK that does the same, in one run.

All of it is compiled to bytecode before, and the mock is a process of its own, so that neither is measured. The median
of several runs counts. Run it with ``nox -s benchmark``.
"""

from __future__ import annotations

import compileall
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import aks_etag

RUNS = 15
HELP_LIMIT = 0.070
AZ_RATIO = 6.0
SDK_RATIO = 2.0
SDK = """
import json, os
from azure.core.credentials import AccessToken
from azure.mgmt.containerservice import ContainerServiceClient

class Token:
    def get_token(self, *scopes, **options):
        return AccessToken("t", 2**33)

client = ContainerServiceClient(Token(), os.environ["AZURE_SUBSCRIPTION_ID"], base_url=os.environ["AKS_ETAG_ENDPOINT"])
print(json.dumps(client.managed_clusters.get("rg", "prod", enforce_https=False).as_dict()))
"""


def main() -> None:
    """Measure, and end with 1 where something costs more than it may."""
    own = [sys.executable, "-c", "import sys; from aks_etag.cli import main; sys.exit(main())"]
    with tempfile.TemporaryDirectory() as home:
        env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"} | {"HOME": home}
        _compile()
        python = measured([sys.executable, "-c", "pass"], env)
        helped = measured([*own, "--help"], env)
        print(f"python -c pass        {python * 1000:6.1f} ms")
        print(f"aks-etag --help       {helped * 1000:6.1f} ms, {helped / python:.1f} times bare Python")
        good = helped <= HELP_LIMIT
        good &= _beside_az(helped, env)
        good &= _beside_sdk(own, env)
    sys.exit(0 if good else 1)


def measured(command: list[str], env: Mapping[str, str]) -> float:
    """Return the CPU seconds of a command, user and system."""
    return statistics.median(_once(command, env) for _ in range(RUNS))


def _once(command: list[str], env: Mapping[str, str]) -> float:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, env=dict(env), check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _beside_az(helped: float, env: Mapping[str, str]) -> bool:
    az = shutil.which("az")
    if az is None:
        print("az aks show --help    not measured: az is not installed")
        return True
    theirs = measured([az, "aks", "show", "--help"], env)
    print(f"az aks show --help    {theirs * 1000:6.1f} ms, {theirs / helped:.1f} times aks-etag --help")
    return theirs >= AZ_RATIO * helped


def _beside_sdk(own: list[str], env: Mapping[str, str]) -> bool:
    with _mock(own, env) as served:
        ours = measured([*own, "show", "-g", "rg", "-n", "prod"], served)
        client = measured([*own, "show", "-g", "rg", "-n", "prod", "--cloud", "AzureCloud"], served)
        theirs = measured([sys.executable, "-c", SDK], served)
    print(f"a script with the SDK {theirs * 1000:6.1f} ms")
    print(f"aks-etag show         {ours * 1000:6.1f} ms, {theirs / ours:.1f} times less")
    print(f"aks-etag show --cloud {client * 1000:6.1f} ms: with the whole client, as all other commands")
    return theirs >= SDK_RATIO * ours


@contextmanager
def _mock(own: list[str], env: Mapping[str, str]) -> Iterator[dict[str, str]]:
    seed = json.dumps({"rg": {"prod": {"np1": {"count": 3}}}})
    serve = [*own, "mock", "serve", "--seed", "-"]
    with subprocess.Popen(serve, env=dict(env), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(seed)
        process.stdin.close()
        said = json.loads(process.stdout.readline())
        token = {"AKS_ETAG_TOKEN": "t", "AKS_ETAG_ENDPOINT": said["endpoint"]}
        try:
            yield {**env, **token, "AZURE_SUBSCRIPTION_ID": said["subscription"]}
        finally:
            process.terminate()


def _compile() -> None:
    for place in (Path(aks_etag.__file__).parent, sysconfig.get_path("purelib")):
        compileall.compile_dir(str(place), quiet=2, workers=1)


if __name__ == "__main__":
    main()
