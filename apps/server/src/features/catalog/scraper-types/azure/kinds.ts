/** A kind of resource that is read. */
export interface Kind {
  /** As Azure writes it. */
  type: string;
  /** What a document includes it by. */
  include: string;
  /** What it is called in names of relationships, and its class where no other is said. */
  word: string;
  /** Source: the classes of the reference, which people's rules name. */
  configClass?: string;
  /** Of the API that lists it. */
  version: string;
  /** Resources whose lists of it are read; it is read of the subscription when absent, or stands in its parent. */
  within?: string;
  isNested?: boolean;
  query?: [string, string][];
}

/** What of a document's names is no kind of resource. */
export const otherIncludes = ["entra", "activityLogs", "advisor", "subscriptions"] as const;

const network = "2023-09-01";

/**
 * Those that use come before those that are used: of two that name each other the first one tells their relationship.
 * Names of `include` are the reference's, and `keyVaults`.
 */
export const kinds: readonly Kind[] = [
  {
    type: "Microsoft.Network/trafficmanagerprofiles",
    include: "trafficManager",
    word: "TrafficManagerProfile",
    version: "2022-04-01",
  },
  {
    type: "Microsoft.ContainerService/managedClusters",
    include: "k8s",
    word: "KubernetesCluster",
    version: "2023-10-01",
  },
  {
    type: "Microsoft.Web/sites",
    include: "appServices",
    word: "AppService",
    version: "2022-09-01",
  },
  {
    type: "Microsoft.Web/serverfarms",
    include: "appServices",
    word: "AppServicePlan",
    version: "2022-09-01",
  },
  {
    type: "Microsoft.Network/applicationGateways",
    include: "loadBalancers",
    word: "ApplicationGateway",
    version: network,
  },
  {
    type: "Microsoft.Network/loadBalancers",
    include: "loadBalancers",
    word: "LoadBalancer",
    version: network,
  },
  {
    type: "Microsoft.Network/azureFirewalls",
    include: "firewalls",
    word: "Firewall",
    version: network,
  },
  {
    type: "Microsoft.Compute/virtualMachineScaleSets",
    include: "virtualMachines",
    word: "ScaleSet",
    configClass: "Node",
    version: "2023-09-01",
  },
  {
    type: "Microsoft.Compute/virtualMachineScaleSets/virtualMachines",
    include: "virtualMachines",
    word: "ScaleSetMachine",
    configClass: "VirtualMachine",
    version: "2023-09-01",
    within: "Microsoft.Compute/virtualMachineScaleSets",
    query: [["$expand", "instanceView"]],
  },
  {
    type: "Microsoft.Compute/virtualMachines",
    include: "virtualMachines",
    word: "VirtualMachine",
    version: "2023-09-01",
  },
  {
    type: "Microsoft.Compute/disks",
    include: "virtualMachines",
    word: "Disk",
    version: "2023-04-02",
  },
  {
    type: "Microsoft.Network/networkInterfaces",
    include: "virtualMachines",
    word: "NetworkInterface",
    version: network,
  },
  {
    type: "Microsoft.Sql/servers/databases",
    include: "databases",
    word: "Database",
    configClass: "RelationalDatabase",
    version: "2021-11-01",
    within: "Microsoft.Sql/servers",
  },
  { type: "Microsoft.Sql/servers", include: "databases", word: "SqlServer", version: "2021-11-01" },
  {
    type: "Microsoft.DBforPostgreSQL/flexibleServers",
    include: "databases",
    word: "PostgresServer",
    configClass: "RelationalDatabase",
    version: "2022-12-01",
  },
  {
    type: "Microsoft.DBforMySQL/flexibleServers",
    include: "databases",
    word: "MysqlServer",
    configClass: "RelationalDatabase",
    version: "2021-05-01",
  },
  {
    type: "Microsoft.ContainerRegistry/registries",
    include: "containerRegistries",
    word: "ContainerRegistry",
    version: "2023-07-01",
  },
  {
    type: "Microsoft.KeyVault/vaults",
    include: "keyVaults",
    word: "KeyVault",
    version: "2022-07-01",
  },
  {
    type: "Microsoft.Storage/storageAccounts",
    include: "storageAccounts",
    word: "StorageAccount",
    version: "2023-01-01",
  },
  {
    type: "Microsoft.Network/dnszones",
    include: "dns",
    word: "DNSZone",
    version: "2018-05-01",
  },
  {
    type: "Microsoft.Network/privateDnsZones",
    include: "privateDNS",
    word: "PrivateDNSZone",
    version: "2020-06-01",
  },
  {
    type: "Microsoft.Network/publicIPAddresses",
    include: "publicIPs",
    word: "PublicIPAddress",
    version: network,
  },
  {
    type: "Microsoft.Network/virtualNetworks/subnets",
    include: "virtualNetworks",
    word: "Subnet",
    version: network,
    within: "Microsoft.Network/virtualNetworks",
    isNested: true,
  },
  {
    type: "Microsoft.Network/virtualNetworks",
    include: "virtualNetworks",
    word: "VirtualNetwork",
    version: network,
  },
  {
    type: "Microsoft.Network/natGateways",
    include: "virtualNetworks",
    word: "NatGateway",
    version: network,
  },
  {
    type: "Microsoft.Network/routeTables",
    include: "virtualNetworks",
    word: "RouteTable",
    version: network,
  },
  {
    type: "Microsoft.Network/networkSecurityGroups",
    include: "securityGroups",
    word: "SecurityGroup",
    version: network,
  },
];

export const groupKind: Kind = {
  type: "Microsoft.Resources/resourceGroups",
  include: "resourceGroups",
  word: "ResourceGroup",
  version: "2021-04-01",
};
export const subscriptionType = "Azure::Subscription";
export const typeOf = ({ type }: Kind): string => `Azure::${type}`;

const byType = new Map([...kinds, groupKind].map((kind) => [kind.type.toLowerCase(), kind]));
const rank = new Map([...kinds, groupKind].map((kind, place) => [kind, place]));
export const rankOf = (kind: Kind): number => rank.get(kind)!;

/** The resource that an id means, or that holds what it means; nothing where it is of no kind that is read. */
export function resourceOf(id: string): { id: string; kind: Kind } | undefined {
  const [, subscription, group, namespace, rest] =
    /^\/subscriptions\/([^/]+)\/resourcegroups\/([^/]+)(?:\/providers\/([^/]+)\/(.+))?$/.exec(
      id.toLowerCase(),
    ) ?? [];
  if (subscription === undefined) return undefined;
  const own = `/subscriptions/${subscription}/resourcegroups/${group}`;
  if (namespace === undefined || rest === undefined) return { id: own, kind: groupKind };
  const parts = rest.split("/");
  for (let length = parts.length - (parts.length % 2); length >= 2; length -= 2) {
    const types = parts.filter((_part, place) => place < length && place % 2 === 0);
    const kind = byType.get([namespace, ...types].join("/"));
    if (kind)
      return {
        id: `${own}/providers/${namespace}/${parts.slice(0, length).join("/")}`,
        kind,
      };
  }
  return undefined;
}

/** The id of the resource group that something is in. */
export const groupOf = (id: string): string | undefined =>
  /^\/subscriptions\/[^/]+\/resourcegroups\/[^/]+/.exec(id.toLowerCase())?.[0];
