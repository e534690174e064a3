import { afterEach, describe, expect, test } from "vitest";
import { closeAll } from "#platform/outbound/testing/serve.ts";
import {
  azureId,
  azureRoot,
  azureSecret,
  type AzureStandIn,
  azureTenant,
  shopOfAzure,
  startAzure,
} from "../testing/azure-server.ts";
import { scrapeWith, type Told } from "../testing/scrape.ts";
import { resourceOf } from "./kinds.ts";

/** Against a stand-in of Azure's management API. */

afterEach(closeAll);

async function start(more: Record<string, Record<string, unknown>[]> = {}) {
  const azure = await startAzure({ ...shopOfAzure(), ...more });
  const scrape = (spec: object = {}) => scrapeWith("azure", { ...azure.spec, ...spec });
  return { azure, scrape };
}
const id = (rest: string) => azureId(rest).toLowerCase();
const relationsOf = (told: Told, name: string) =>
  told.items
    .find((one) => one.name === name)!
    .relations.map(({ relation, to }) => `${relation} ${to.externalId!.split("/").at(-1)}`);

test("resources are items with what they stand in, what they use and how they are", async () => {
  const { scrape } = await start();
  const told = await scrape();
  expect([told.failures, told.notices]).toEqual([[], []]);
  expect(
    told.items.map(
      ({ type, name, status, health }) =>
        `${type.replace("Azure::", "")} ${name}: ${status} ${health}`,
    ),
  ).toEqual([
    "Subscription Shop: Enabled healthy",
    "Microsoft.Resources/resourceGroups Shop: Succeeded healthy",
    "Microsoft.Resources/resourceGroups MC_Shop: Succeeded healthy",
    "Microsoft.Resources/resourceGroups Old: Deleting unknown",
    "Microsoft.ContainerService/managedClusters aks: Running healthy",
    "Microsoft.Web/sites site: Stopped unknown",
    "Microsoft.Network/loadBalancers lb: Succeeded healthy",
    "Microsoft.Compute/virtualMachineScaleSets pool: Succeeded healthy",
    "Microsoft.Compute/virtualMachineScaleSets/virtualMachines pool_0: Running healthy",
    "Microsoft.Compute/virtualMachines Web: Running healthy",
    "Microsoft.Compute/virtualMachines batch: Deallocated unknown",
    "Microsoft.Compute/virtualMachines broken: Failed unhealthy",
    "Microsoft.Compute/disks web-os: Succeeded healthy",
    "Microsoft.Network/networkInterfaces web-nic: Succeeded healthy",
    "Microsoft.Sql/servers sql: Ready healthy",
    "Microsoft.Sql/servers/databases orders: Online healthy",
    "Microsoft.KeyVault/vaults keys: Succeeded healthy",
    "Microsoft.Network/publicIPAddresses web-ip: Succeeded healthy",
    "Microsoft.Network/virtualNetworks net: Succeeded healthy",
    "Microsoft.Network/virtualNetworks/subnets front: Succeeded healthy",
    "Microsoft.Network/networkSecurityGroups web-nsg: Succeeded healthy",
  ]);
  expect(told.item("Azure::Microsoft.Compute/virtualMachines", "Web")).toMatchObject({
    externalId: id("Microsoft.Compute/virtualMachines/web"),
    configClass: "VirtualMachine",
    labels: { app: "web", location: "westeurope" },
    tags: { subscriptionName: "Shop", resourceGroup: "shop" },
    createdAt: new Date("2025-01-01T08:00:00Z"),
    parents: [
      {
        externalId: `${azureRoot}/resourcegroups/shop`,
        type: "Azure::Microsoft.Resources/resourceGroups",
      },
      { externalId: azureRoot, type: "Azure::Subscription" },
    ],
  });
  expect(told.item("Azure::Microsoft.Network/virtualNetworks/subnets", "front").parents[0]).toEqual(
    {
      externalId: id("Microsoft.Network/virtualNetworks/net"),
      type: "Azure::Microsoft.Network/virtualNetworks",
    },
  );
  expect(told.item("Azure::Microsoft.Sql/servers/databases", "orders").parents[0]?.externalId).toBe(
    id("Microsoft.Sql/servers/sql"),
  );
  expect(
    told.item("Azure::Microsoft.Compute/virtualMachineScaleSets/virtualMachines", "pool_0"),
  ).toMatchObject({
    aliases: ["aks-pool-000000"],
    configClass: "VirtualMachine",
    parents: [{ type: "Azure::Microsoft.Compute/virtualMachineScaleSets" }, {}, {}],
  });
  expect(told.item("Azure::Microsoft.Compute/virtualMachineScaleSets", "pool").configClass).toBe(
    "Node",
  );
  // Of two that name each other one tells it.
  expect({
    Web: relationsOf(told, "Web"),
    nic: relationsOf(told, "web-nic"),
    disk: relationsOf(told, "web-os"),
    group: relationsOf(told, "web-nsg"),
    subnet: relationsOf(told, "front"),
    balancer: relationsOf(told, "lb"),
    cluster: relationsOf(told, "aks"),
  }).toEqual({
    Web: ["VirtualMachineDisk web-os", "VirtualMachineNetworkInterface web-nic"],
    nic: [
      "NetworkInterfaceSecurityGroup web-nsg",
      "NetworkInterfaceSubnet front",
      "NetworkInterfacePublicIPAddress web-ip",
    ],
    disk: [],
    group: [],
    subnet: ["SubnetSecurityGroup web-nsg"],
    balancer: ["LoadBalancerNetworkInterface web-nic"],
    cluster: ["KubernetesClusterSubnet front", "KubernetesClusterResourceGroup mc_shop"],
  });
  expect(JSON.stringify(told.items)).not.toMatch(/hunter|etag|earliestRestoreDate/);
});

test("ids of parts are those of what holds them", () => {
  const kind = (text: string) => resourceOf(text)?.kind.word;
  expect(resourceOf(azureId("Microsoft.Compute/virtualMachines/A/extensions/B"))?.id).toBe(
    id("Microsoft.Compute/virtualMachines/a"),
  );
  expect(kind(azureId("Microsoft.Network/virtualNetworks/n/subnets/s"))).toBe("Subnet");
  expect(kind(azureId("Microsoft.Network/virtualNetworks/n/virtualNetworkPeerings/p"))).toBe(
    "VirtualNetwork",
  );
  expect(kind(`${azureRoot}/resourceGroups/x`)).toBe("ResourceGroup");
  expect(kind(azureId("Microsoft.Other/things/a"))).toBeUndefined();
  expect(kind("/subscriptions/x/nothing")).toBeUndefined();
});

test("what is included alone is asked for; unknown names are told", async () => {
  const { azure, scrape } = await start();
  const told = await scrape({ include: ["virtualmachines", "teapots"], entra: { users: [] } });
  expect(Object.keys(told.types)).toEqual([
    "Azure::Subscription",
    "Azure::Microsoft.Compute/virtualMachineScaleSets",
    "Azure::Microsoft.Compute/virtualMachineScaleSets/virtualMachines",
    "Azure::Microsoft.Compute/virtualMachines",
    "Azure::Microsoft.Compute/disks",
    "Azure::Microsoft.Network/networkInterfaces",
  ]);
  expect(azure.asked.some((path) => /advisor|insights|sql/i.test(path))).toBe(false);
  expect(told.notices).toEqual([
    expect.stringMatching(
      /^include: there is no teapots; there are activityLogs, advisor, appServices, /,
    ),
  ]);
});

const advisor = "/providers/microsoft.advisor/recommendations";
const log = "/providers/microsoft.insights/eventtypes/management/values";

test("advice becomes insights", async () => {
  const advice = (name: string, more: object) => ({
    name,
    properties: {
      category: "HighAvailability",
      impact: "High",
      impactedField: "MICROSOFT.COMPUTE/VIRTUALMACHINES",
      shortDescription: { problem: "Enable backups", solution: "Enable backups on your machine" },
      resourceMetadata: { resourceId: azureId("microsoft.compute/virtualmachines/WEB") },
      lastUpdated: "2026-06-01T00:00:00Z",
      extendedProperties: { savings: "1" },
      ...more,
    },
  });
  const { scrape } = await start({
    [advisor]: [
      advice("one", {}),
      advice("two", { suppressionIds: ["x"] }),
      advice("three", {
        category: "Cost",
        impact: "Low",
        resourceMetadata: { resourceId: azureRoot },
      }),
    ],
  });
  const { insights } = await scrape({ include: ["advisor"] });
  expect(insights).toEqual([
    {
      item: {
        externalId: id("Microsoft.Compute/virtualMachines/web"),
        type: "Azure::Microsoft.Compute/virtualMachines",
      },
      externalAnalysisId: "one",
      analyzer: "Enable backups",
      analysisType: "availability",
      severity: "high",
      status: "open",
      source: "Azure Advisor",
      summary: "Enable backups",
      message: "Enable backups\nEnable backups on your machine",
      analysis: {
        category: "HighAvailability",
        impact: "High",
        impactedField: "MICROSOFT.COMPUTE/VIRTUALMACHINES",
        savings: "1",
      },
      firstObserved: new Date("2026-06-01T00:00:00Z"),
    },
    expect.objectContaining({
      item: { externalId: azureRoot },
      analysisType: "cost",
      severity: "low",
    }),
  ]);
});

const event = (at: string, status: string, more: object = {}) => ({
  correlationId: "c1",
  eventTimestamp: at,
  operationName: {
    value: "Microsoft.Compute/virtualMachines/write",
    localizedValue: "Create or Update Virtual Machine",
  },
  resourceId: azureId("Microsoft.Compute/virtualMachines/web"),
  caller: "ann@example.org",
  level: "Informational",
  status: { value: status },
  ...more,
});

test("what was done is one change, however many events tell it", async () => {
  const deletion = (name: string, status = "Succeeded") =>
    event("2026-06-14T09:00:00Z", status, {
      correlationId: name,
      operationName: { value: "Microsoft.Compute/virtualMachines/delete" },
      resourceId: azureId(`Microsoft.Compute/virtualMachines/${name}`),
    });
  const { scrape } = await start({
    [log]: [
      event("2026-06-14T10:02:00Z", "Failed", {
        level: "Error",
        subStatus: { localizedValue: "Conflict" },
      }),
      event("2026-06-14T10:00:00Z", "Started", {
        httpRequest: { clientIpAddress: "10.0.0.1", method: "PUT" },
      }),
      event("2026-06-14T10:00:00Z", "Succeeded", {
        operationName: {
          value: "Microsoft.Storage/storageAccounts/listKeys/action",
          localizedValue: "List Storage Account Keys",
        },
        correlationId: "c2",
      }),
      event("2026-06-14T11:00:00Z", "Started", {
        correlationId: "c3",
        resourceId: azureId("Microsoft.Compute/virtualMachines/web/extensions/agent"),
        caller: undefined,
      }),
      // It began before the seven days.
      event("2026-06-08T11:30:00Z", "Started", { correlationId: "c4" }),
      deletion("gone"),
      deletion("web"),
      deletion("stays", "Failed"),
    ],
  });
  const told = await scrape({ exclusions: { activityLogs: ["List Storage*"] } });
  expect(told.changes.filter(({ changeType }) => changeType.endsWith("/write"))).toEqual([
    {
      item: {
        externalId: id("Microsoft.Compute/virtualMachines/web"),
        type: "Azure::Microsoft.Compute/virtualMachines",
      },
      externalChangeId: "c1/Microsoft.Compute/virtualMachines/write",
      changeType: "Microsoft.Compute/virtualMachines/write",
      severity: "high",
      source: "Azure::ActivityLog",
      summary: "Create or Update Virtual Machine; Failed; Conflict",
      details: {
        caller: "ann@example.org",
        correlationId: "c1",
        resourceId: azureId("Microsoft.Compute/virtualMachines/web"),
        clientIpAddress: "10.0.0.1",
        method: "PUT",
      },
      createdAt: new Date("2026-06-14T10:00:00Z"),
      createdBy: "ann@example.org",
      action: "keep",
    },
    expect.objectContaining({
      externalChangeId: "c3/extensions/agent/Microsoft.Compute/virtualMachines/write",
      severity: "info",
      summary: "Create or Update Virtual Machine; Started",
    }),
  ]);
  // What is listed is there, whatever was deleted before it.
  expect(told.gone).toEqual([id("Microsoft.Compute/virtualMachines/gone")]);
});

test("a list that may not be read takes nothing from the others, and ends nothing of its own", async () => {
  const { azure, scrape } = await start({
    [log]: [
      event("2026-06-14T09:00:00Z", "Succeeded", {
        operationName: { value: "Microsoft.Compute/virtualMachines/delete" },
      }),
    ],
  });
  azure.instead = (request, response) => {
    const path = request.url ?? "";
    const refuse = (code: number, error: object) =>
      response
        .writeHead(code, { "content-type": "application/json" })
        .end(JSON.stringify({ error }));
    if (path.includes("/Microsoft.Compute/virtualMachines?"))
      refuse(403, {
        code: "AuthorizationFailed",
        message: "The client 'me' does not have authorization to perform action 'read'.",
      });
    else if (path.includes("/Microsoft.Web/sites"))
      refuse(409, {
        code: "MissingSubscriptionRegistration",
        message: "The subscription is not registered to use namespace 'Microsoft.Web'.",
      });
    else if (path.includes("/sql/databases"))
      refuse(500, { code: "InternalServerError", message: "Try again." });
    return response.writableEnded;
  };
  const told = await scrape();
  expect(told.failures).toEqual([
    expect.stringMatching(
      /^Microsoft\.Compute\/virtualMachines: Azure does not allow it with these credentials \(403\): The client 'me'/,
    ),
    expect.stringMatching(/^Microsoft\.Sql\/servers\/databases: Azure answered 500: Try again\./),
  ]);
  expect(told.items.map(({ name }) => name)).toContain("web-nsg");
  expect(told.gone).toEqual([]);
});

test("credentials that are not accepted, a subscription that is not there, no credentials", async () => {
  const { scrape } = await start();
  const wrong = scrape({ clientSecret: { value: "wrong-secret" } });
  await expect(wrong).rejects.toThrow(
    "gave no token: it answered 401 (invalid_client: AADSTS7000215: Invalid client secret provided.)",
  );
  await expect(wrong).rejects.not.toThrow("wrong-secret");
  await expect(scrape({ subscriptionID: "other" })).rejects.toThrow(
    "The subscription could not be found.",
  );
  await expect(scrape({ clientSecret: undefined })).rejects.toThrow(
    "Azure needs clientSecret, or a connection with it.",
  );
});

test("throttling is waited for, pages lead nowhere else and end, half an answer fails", async () => {
  const { azure, scrape } = await start();
  let refused = 0;
  azure.instead = (request, response) => {
    if (!request.url?.includes("/disks") || (refused += 1) > 2) return false;
    response.writeHead(429, { "retry-after": "0" }).end('{"error":{"code":"TooManyRequests"}}');
    return true;
  };
  expect((await scrape()).types["Azure::Microsoft.Compute/disks"]).toBe(1);
  const answering = (body: string, headers: Record<string, string> = {}) => {
    azure.instead = (request, response) => {
      if (!request.url?.includes("/resourcegroups?")) return false;
      response.writeHead(200, headers).write(body);
      if (headers["content-length"]) response.destroy();
      else response.end();
      return true;
    };
    return scrape();
  };
  await expect(answering('{"value":[],"nextLink":"http://127.0.0.2:1/x"}')).rejects.toThrow(
    `The next page of ${azureRoot}/resourcegroups is on another server.`,
  );
  const itself = `${(azure.spec as { endpoint: string }).endpoint}${azureRoot}/resourcegroups?api-version=2021-04-01`;
  await expect(answering(JSON.stringify({ value: [], nextLink: itself }))).rejects.toThrow(
    "without end",
  );
  await expect(answering('{"value":', { "content-length": "900" })).rejects.toThrow();
  await expect(answering('{"hello":1}')).rejects.toThrow("What answered is no management API");
  expect(azureSecret).not.toBe("");
});

const graphOf = {
  "/users": [
    { id: "u1", displayName: "Ann", userPrincipalName: "ann@example.org", accountEnabled: true },
    { id: "u2", displayName: "Bob", userPrincipalName: "bob@example.org", accountEnabled: false },
    { id: "u3", displayName: "Guest of all", accountEnabled: true, onPremises: "not asked for" },
  ],
  "/groups": [{ id: "g1", displayName: "admins", groupTypes: ["Unified"], description: "Who may" }],
  "/groups/g1/members": [
    { "@odata.type": "#microsoft.graph.user", id: "u1" },
    { "@odata.type": "#microsoft.graph.device", id: "d1" },
    { "@odata.type": "#microsoft.graph.user", id: "u2" },
  ],
  "/applications": [
    {
      id: "o1",
      appId: "a1",
      displayName: "shop",
      passwordCredentials: [
        { keyId: "k", hint: "abc", secretText: null, endDateTime: "2026-07-01T00:00:00Z" },
      ],
      keyCredentials: [{ keyId: "c", key: "bWlu", endDateTime: "2026-01-01T00:00:00Z" }],
    },
    { id: "o2", appId: "a2", displayName: "other", passwordCredentials: [] },
  ],
  "/servicePrincipals": [
    {
      id: "s1",
      appId: "a1",
      displayName: "shop",
      accountEnabled: true,
      appOwnerOrganizationId: azureTenant,
      appRoles: [{ id: "r1", value: "Orders.Read", displayName: "Reads" }],
    },
    { id: "s2", appId: "a9", displayName: "shop of Microsoft", appOwnerOrganizationId: "m" },
  ],
  "/servicePrincipals/s1/appRoleAssignedTo": [
    { principalType: "User", principalId: "u1", principalDisplayName: "Ann", appRoleId: "r1" },
    {
      principalType: "Group",
      principalId: "g1",
      principalDisplayName: "admins",
      appRoleId: "00000000-0000-0000-0000-000000000000",
    },
  ],
};

describe("the directory", () => {
  const all = {
    users: [{ name: "*,!Guest*" }],
    groups: [{ id: "g1" }],
    appRegistrations: [{ name: "shop" }],
    appRoleAssignments: [{ name: "shop" }],
  };
  const entra = async (spec: object, instead?: AzureStandIn["instead"]) => {
    const { azure, scrape } = await start();
    azure.graph = graphOf;
    azure.instead = instead;
    const told = await scrape({ include: ["entra"], entra: spec });
    return { told, azure };
  };

  test("people, groups and applications, with who is in them and who may use them", async () => {
    const { told } = await entra(all);
    expect([told.failures, told.notices]).toEqual([[], []]);
    expect(told.types).toEqual({
      "Azure::Subscription": 1,
      "Azure::User": 2,
      "Azure::Group": 1,
      "Azure::AppRegistration": 1,
      "Azure::EnterpriseApplication": 1,
    });
    expect(told.item("Azure::User", "Bob")).toMatchObject({
      externalId: "u2",
      aliases: ["bob@example.org"],
      status: "Disabled",
      tags: { tenant: azureTenant },
    });
    expect(told.item("Azure::Group", "admins").relations).toEqual([
      { to: { externalId: "u1", type: "Azure::User" }, relation: "GroupUser" },
      { to: { externalId: "u2", type: "Azure::User" }, relation: "GroupUser" },
    ]);
    const shop = told.item("Azure::AppRegistration", "shop");
    expect(shop).toMatchObject({ externalId: "a1", status: "Expiring", health: "warning" });
    expect(JSON.stringify(shop)).not.toMatch(/abc|bWlu/);
    expect(told.item("Azure::EnterpriseApplication", "shop")).toMatchObject({
      externalId: "s1",
      config: {
        appRoleAssignments: [
          { principal: "admins", principalType: "Group", role: "default" },
          { principal: "Ann", principalType: "User", role: "Orders.Read" },
        ],
      },
      relations: [
        { to: { externalId: "a1" }, relation: "AppServicePrincipal", isIncoming: true },
        { to: { externalId: "u1", type: "Azure::User" }, relation: "EnterpriseApplicationUser" },
        { to: { externalId: "g1" }, relation: "EnterpriseApplicationGroup" },
      ],
    });
  });

  test("is read where something of it is selected, throttled or not; what refuses fails alone", async () => {
    let busy = 0;
    const { told } = await entra(all, (request, response) => {
      if (request.url?.includes("/v1.0/users") && (busy += 1) === 1) {
        response.writeHead(429, { "retry-after": "0" }).end("{}");
        return true;
      }
      if (!request.url?.includes("/members")) return false;
      response
        .writeHead(403, { "content-type": "application/json" })
        .end(
          '{"error":{"code":"Authorization_RequestDenied","message":"Insufficient privileges"}}',
        );
      return true;
    });
    expect(told.failures).toEqual([
      expect.stringMatching(/^Group: .*\(403\): Insufficient privileges/),
    ]);
    expect([told.unseen, told.unjudged]).toEqual([["Azure::Group"], []]);
    expect(told.types).toMatchObject({ "Azure::User": 2, "Azure::EnterpriseApplication": 1 });
    const none = await entra({ users: [] });
    expect(none.azure.asked.filter((path) => path.startsWith("/v1.0"))).toEqual([]);
    const strange = await entra({ users: [{ tagSelector: "team=shop" }], groups: [{}] });
    expect(strange.told.failures).toEqual([
      expect.stringMatching(/^User: entra\.users: .* tagSelector cannot be held to here/),
    ]);
    expect(strange.told.types).toMatchObject({ "Azure::Group": 1 });
  });
});
