// SPDX-License-Identifier: MIT
// Microsoft's client for JavaScript as it is, over TLS, against `aks-etag mock serve`: happy paths, and a 412 for each
// operation that takes a condition. It ends with the exit code 0, or with what was not as it should be.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { ContainerServiceClient } from "@azure/arm-containerservice";

const SOON = { updateIntervalInMs: 1 };
const SEED = { rg: { prod: { np1: { count: 3 } } } };
const NEW = { location: "region1", agentPoolProfiles: [{ name: "np1", count: 1, mode: "System" }] };

async function served(folder, work) {
  const ca = join(folder, "ca.pem");
  const command = ["mock", "serve", "--tls-ca", ca, "--require-token", "--seed", "-"];
  const server = spawn("aks-etag", command, { stdio: ["pipe", "pipe", "inherit"] });
  try {
    server.stdin.end(JSON.stringify(SEED));
    const [line] = await once(createInterface({ input: server.stdout }), "line");
    const { endpoint, subscription } = JSON.parse(line);
    const credential = { getToken: async () => ({ token: "fake", expiresOnTimestamp: Date.now() + 3600_000 }) };
    const options = { endpoint, tlsOptions: { ca: readFileSync(ca) }, retryOptions: { maxRetries: 0 } };
    await work(new ContainerServiceClient(credential, subscription, options));
  } finally {
    server.kill();
  }
}

async function names(pages) {
  const found = [];
  for await (const each of pages) found.push(each.name);
  return found;
}

const refused = (write) =>
  assert.rejects(write, (error) => {
    assert.deepEqual([error.statusCode, error.code], [412, "PreconditionFailed"]);
    return true;
  });

async function clusters({ managedClusters }) {
  const created = await managedClusters.createOrUpdate("rg", "new", NEW, { ifNoneMatch: "*", ...SOON });
  assert.equal(created.provisioningState, "Succeeded");
  const seen = await managedClusters.get("rg", "new");
  const changed = { ...seen, tags: { team: "red" } };
  const updated = await managedClusters.createOrUpdate("rg", "new", changed, { ifMatch: seen.eTag, ...SOON });
  assert.deepEqual([updated.tags, updated.eTag === seen.eTag], [{ team: "red" }, false]);
  const tagged = await managedClusters.updateTags("rg", "new", { tags: { a: "b" } }, { ifMatch: updated.eTag, ...SOON });
  assert.deepEqual(tagged.tags, { a: "b" });
  assert.deepEqual(await names(managedClusters.list()), ["new", "prod"]);
  assert.deepEqual(await names(managedClusters.listByResourceGroup("rg")), ["new", "prod"]);
  const stale = { ifMatch: seen.eTag, ...SOON };
  await refused(async () => managedClusters.createOrUpdate("rg", "new", changed, stale));
  await refused(async () => managedClusters.createOrUpdate("rg", "new", NEW, { ifNoneMatch: "*", ...SOON }));
  await refused(async () => managedClusters.updateTags("rg", "new", { tags: {} }, stale));
  await refused(async () => managedClusters.delete("rg", "new", stale));
  await managedClusters.delete("rg", "new", { ifMatch: tagged.eTag, ...SOON });
  await assert.rejects(managedClusters.get("rg", "new"), { statusCode: 404, code: "ResourceNotFound" });
}

async function pools({ agentPools }) {
  const place = ["rg", "prod", "np2"];
  const created = await agentPools.createOrUpdate(...place, { count: 1 }, { ifNoneMatch: "*", ...SOON });
  assert.equal(created.count, 1);
  const seen = await agentPools.get(...place);
  const updated = await agentPools.createOrUpdate(...place, { ...seen, count: 4 }, { ifMatch: seen.eTag, ...SOON });
  assert.deepEqual([updated.count, updated.eTag === seen.eTag], [4, false]);
  assert.deepEqual(await names(agentPools.list("rg", "prod")), ["np1", "np2"]);
  await refused(async () => agentPools.createOrUpdate(...place, { ...seen, count: 5 }, { ifMatch: seen.eTag, ...SOON }));
  await refused(async () => agentPools.delete(...place, { ifMatch: seen.eTag, ...SOON }));
  await agentPools.delete(...place, { ifMatch: updated.eTag, ...SOON });
  assert.deepEqual(await names(agentPools.list("rg", "prod")), ["np1"]);
}

async function actions({ agentPools, managedClusters }) {
  await managedClusters.stop("rg", "prod", SOON);
  assert.equal((await managedClusters.get("rg", "prod")).powerState.code, "Stopped");
  await managedClusters.start("rg", "prod", SOON);
  const before = (await agentPools.get("rg", "prod", "np1")).nodeImageVersion;
  await agentPools.upgradeNodeImageVersion("rg", "prod", "np1", SOON);
  assert.ok((await agentPools.get("rg", "prod", "np1")).nodeImageVersion > before);
  const { kubeconfigs } = await managedClusters.listClusterUserCredentials("rg", "prod");
  assert.equal(kubeconfigs[0].name, "clusterUser");
}

const folder = mkdtempSync(join(tmpdir(), "aks-etag-"));
try {
  await served(folder, async (client) => {
    for (const each of [clusters, pools, actions]) {
      await each(client);
      console.log(`${each.name}: as it should be`);
    }
  });
} finally {
  rmSync(folder, { recursive: true });
}
