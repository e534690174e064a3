import type { IncomingMessage, ServerResponse } from "node:http";
import { serve } from "#platform/outbound/testing/serve.ts";

/** A stand-in of Azure's management API, of Microsoft Graph and of the sign-in of its directory, written from their public documentation. */

type Resource = Record<string, unknown>;

export interface AzureStandIn {
  /** Of a document: who asks, and where. */
  spec: object;
  /** Lists by the path below the subscription, in small letters; two rows on a page. */
  lists: Record<string, Resource[]>;
  /** Lists of Microsoft Graph by their paths below the version. */
  graph: Record<string, Resource[]>;
  asked: string[];
  /** Answers in the place of the API; true when it has. */
  instead?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
}

export const azureSecret = "sesame-client-secret";
export const azureSubscription = "11111111-2222-3333-4444-555555555555";
export const azureTenant = "aaaaaaaa-0000-0000-0000-000000000000";
export const azureRoot = `/subscriptions/${azureSubscription}`;
const token = "a.token.of.azure";

export async function startAzure(lists: Record<string, Resource[]>): Promise<AzureStandIn> {
  const azure: AzureStandIn = { spec: {}, lists, graph: {}, asked: [] };
  const { url } = await serve((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://a");
    const end = (code: number, json: unknown) =>
      response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(json));
    if (pathname === `/${azureTenant}/oauth2/v2.0/token`) {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const form = new URLSearchParams(Buffer.concat(chunks).toString());
        const basic = `Basic ${Buffer.from(`me:${azureSecret}`).toString("base64")}`;
        const isKnown =
          request.headers.authorization === basic ||
          (form.get("client_id") === "me" && form.get("client_secret") === azureSecret);
        if (!isKnown || form.get("scope") !== `${url}/.default`)
          return end(401, {
            error: "invalid_client",
            error_description: "AADSTS7000215: Invalid client secret provided.",
          });
        return end(200, { token_type: "Bearer", expires_in: 3599, access_token: token });
      });
      return;
    }
    azure.asked.push(`${pathname}${searchParams.has("statusOnly") ? "?statusOnly" : ""}`);
    if (azure.instead?.(request, response)) return;
    if (request.headers.authorization !== `Bearer ${token}`)
      return end(401, {
        error: { code: "AuthenticationFailed", message: "Authentication failed." },
      });
    if (pathname.startsWith("/v1.0/")) return graph(pathname.slice(5), searchParams, end);
    if (!searchParams.get("api-version"))
      return end(400, { error: { code: "MissingApiVersionParameter", message: "api-version" } });
    const path = pathname.toLowerCase();
    if (path === azureRoot)
      return end(200, {
        id: azureRoot,
        subscriptionId: azureSubscription,
        displayName: "Shop",
        state: "Enabled",
        tenantId: azureTenant,
      });
    if (!path.startsWith(azureRoot))
      return end(404, {
        error: { code: "SubscriptionNotFound", message: "The subscription could not be found." },
      });
    const statusOnly = searchParams.get("statusOnly") === "true";
    const rows = (azure.lists[path.slice(azureRoot.length)] ?? []).map((row) =>
      !path.endsWith("/microsoft.compute/virtualmachines")
        ? row
        : statusOnly
          ? { id: row.id, properties: { instanceView: row.instanceView } }
          : { ...row, instanceView: undefined },
    );
    const from = Number(searchParams.get("$skipToken") ?? 0);
    const next = new URL(`${url}${request.url}`);
    next.searchParams.set("$skipToken", String(from + 2));
    return end(200, {
      value: rows.slice(from, from + 2),
      ...(from + 2 < rows.length && { nextLink: next.href }),
    });
  });
  /** Two rows a page, whatever is asked for; only what is selected of them. */
  function graph(
    path: string,
    query: URLSearchParams,
    end: (code: number, json: unknown) => unknown,
  ) {
    const rows = azure.graph[path];
    if (!rows)
      return end(404, { error: { code: "Request_ResourceNotFound", message: `no ${path}` } });
    const from = Number(query.get("$skiptoken") ?? 0);
    const fields = query.get("$select")?.split(",");
    const shown = (row: Resource) =>
      fields
        ? Object.fromEntries(
            Object.entries(row).filter(([key]) => fields.includes(key) || key.startsWith("@")),
          )
        : row;
    const next = new URL(`${url}/v1.0${path}?${query.toString()}`);
    next.searchParams.set("$skiptoken", String(from + 2));
    return end(200, {
      "@odata.context": `${url}/v1.0/$metadata`,
      ...(from + 2 < rows.length && { "@odata.nextLink": next.href }),
      value: rows.slice(from, from + 2).map(shown),
    });
  }
  azure.spec = {
    subscriptionID: azureSubscription,
    tenantID: azureTenant,
    clientID: { value: "me" },
    clientSecret: { value: azureSecret },
    endpoint: url,
    loginEndpoint: url,
    graphEndpoint: url,
  };
  return azure;
}

export const azureId = (rest: string, group = "Shop") =>
  `${azureRoot}/resourceGroups/${group}/providers/${rest}`;

/** A small shop: a machine with its disk and network, a cluster, a database, a site. */
export function shopOfAzure(): Record<string, Resource[]> {
  const list = (type: string, ...rows: Resource[]) => ({
    [`/providers/${type.toLowerCase()}`]: rows.map((row) => ({
      type,
      location: "westeurope",
      ...row,
    })),
  });
  const network = "Microsoft.Network/virtualNetworks/net";
  return {
    "/resourcegroups": [
      {
        id: `${azureRoot}/resourceGroups/Shop`,
        name: "Shop",
        location: "westeurope",
        tags: { team: "web" },
        properties: { provisioningState: "Succeeded" },
      },
      {
        id: `${azureRoot}/resourceGroups/MC_Shop`,
        name: "MC_Shop",
        properties: { provisioningState: "Succeeded" },
      },
      {
        id: `${azureRoot}/resourceGroups/Old`,
        name: "Old",
        properties: { provisioningState: "Deleting" },
      },
    ],
    ...list(
      "Microsoft.Compute/virtualMachines",
      {
        id: azureId("Microsoft.Compute/virtualMachines/Web", "SHOP"),
        name: "Web",
        etag: "1",
        tags: { app: "web" },
        sku: { name: "Standard_B2s" },
        properties: {
          provisioningState: "Succeeded",
          timeCreated: "2025-01-01T08:00:00Z",
          osProfile: { computerName: "web", adminPassword: "hunter2", customData: "hunter3" },
          storageProfile: {
            osDisk: { managedDisk: { id: azureId("Microsoft.Compute/disks/web-os") } },
          },
          networkProfile: {
            networkInterfaces: [{ id: azureId("Microsoft.Network/networkInterfaces/web-nic") }],
          },
        },
        instanceView: {
          statuses: [{ code: "ProvisioningState/succeeded" }, { code: "PowerState/running" }],
        },
      },
      {
        id: azureId("Microsoft.Compute/virtualMachines/batch"),
        name: "batch",
        properties: { provisioningState: "Succeeded" },
        instanceView: { statuses: [{ code: "PowerState/deallocated" }] },
      },
      {
        id: azureId("Microsoft.Compute/virtualMachines/broken"),
        name: "broken",
        properties: { provisioningState: "Failed" },
        instanceView: { statuses: [{ code: "PowerState/running" }] },
      },
    ),
    ...list("Microsoft.Compute/virtualMachineScaleSets", {
      id: azureId("Microsoft.Compute/virtualMachineScaleSets/pool", "MC_Shop"),
      name: "pool",
      properties: { provisioningState: "Succeeded" },
    }),
    "/resourcegroups/mc_shop/providers/microsoft.compute/virtualmachinescalesets/pool/virtualmachines":
      [
        {
          id: azureId(
            "Microsoft.Compute/virtualMachineScaleSets/pool/virtualMachines/0",
            "MC_SHOP",
          ),
          name: "pool_0",
          properties: {
            provisioningState: "Succeeded",
            osProfile: { computerName: "aks-pool-000000" },
            instanceView: { statuses: [{ code: "PowerState/running" }] },
          },
        },
        // Some lists hold machines that stand for themselves.
        { id: azureId("Microsoft.Compute/virtualMachines/Web"), name: "Web" },
      ],
    ...list("Microsoft.Compute/disks", {
      id: azureId("Microsoft.Compute/disks/web-os"),
      name: "web-os",
      managedBy: azureId("Microsoft.Compute/virtualMachines/Web"),
      properties: { provisioningState: "Succeeded", diskState: "Attached" },
    }),
    ...list("Microsoft.Network/networkInterfaces", {
      id: azureId("Microsoft.Network/networkInterfaces/web-nic"),
      name: "web-nic",
      properties: {
        provisioningState: "Succeeded",
        virtualMachine: { id: azureId("Microsoft.Compute/virtualMachines/Web") },
        networkSecurityGroup: { id: azureId("Microsoft.Network/networkSecurityGroups/web-nsg") },
        ipConfigurations: [
          {
            id: azureId("Microsoft.Network/networkInterfaces/web-nic/ipConfigurations/one"),
            properties: {
              subnet: { id: azureId(`${network}/subnets/front`) },
              publicIPAddress: { id: azureId("Microsoft.Network/publicIPAddresses/web-ip") },
            },
          },
        ],
      },
    }),
    ...list("Microsoft.Network/virtualNetworks", {
      id: azureId(network),
      name: "net",
      properties: {
        provisioningState: "Succeeded",
        subnets: [
          {
            id: azureId(`${network}/subnets/front`),
            name: "front",
            etag: "2",
            properties: {
              provisioningState: "Succeeded",
              addressPrefix: "10.0.0.0/24",
              networkSecurityGroup: {
                id: azureId("Microsoft.Network/networkSecurityGroups/web-nsg"),
              },
              ipConfigurations: [
                { id: azureId("Microsoft.Network/networkInterfaces/web-nic/ipConfigurations/one") },
              ],
            },
          },
        ],
      },
    }),
    ...list("Microsoft.Network/networkSecurityGroups", {
      id: azureId("Microsoft.Network/networkSecurityGroups/web-nsg"),
      name: "web-nsg",
      properties: {
        provisioningState: "Succeeded",
        networkInterfaces: [{ id: azureId("Microsoft.Network/networkInterfaces/web-nic") }],
      },
    }),
    ...list("Microsoft.Network/publicIPAddresses", {
      id: azureId("Microsoft.Network/publicIPAddresses/web-ip"),
      name: "web-ip",
      properties: { provisioningState: "Succeeded" },
    }),
    ...list("Microsoft.Network/loadBalancers", {
      id: azureId("Microsoft.Network/loadBalancers/lb"),
      name: "lb",
      properties: {
        provisioningState: "Succeeded",
        backendAddressPools: [
          {
            properties: {
              backendIPConfigurations: [
                { id: azureId("Microsoft.Network/networkInterfaces/web-nic/ipConfigurations/one") },
              ],
            },
          },
        ],
      },
    }),
    ...list("Microsoft.ContainerService/managedClusters", {
      id: azureId("Microsoft.ContainerService/managedClusters/aks"),
      name: "aks",
      properties: {
        provisioningState: "Succeeded",
        powerState: { code: "Running" },
        nodeResourceGroup: "MC_Shop",
        agentPoolProfiles: [{ vnetSubnetID: azureId(`${network}/subnets/front`) }],
      },
    }),
    ...list("Microsoft.Sql/servers", {
      id: azureId("Microsoft.Sql/servers/sql"),
      name: "sql",
      properties: { state: "Ready", administratorLogin: "sa" },
    }),
    "/resourcegroups/shop/providers/microsoft.sql/servers/sql/databases": [
      {
        id: azureId("Microsoft.Sql/servers/sql/databases/orders"),
        name: "orders",
        properties: { status: "Online", earliestRestoreDate: new Date().toISOString() },
      },
    ],
    ...list("Microsoft.Web/sites", {
      id: azureId("Microsoft.Web/sites/site"),
      name: "site",
      properties: { state: "Stopped" },
    }),
    ...list("Microsoft.KeyVault/vaults", {
      id: azureId("Microsoft.KeyVault/vaults/keys"),
      name: "keys",
      properties: { provisioningState: "Succeeded" },
    }),
  };
}
