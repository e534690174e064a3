import { X509Certificate } from "node:crypto";
import type { Health, HostPart } from "@mainstay/contract";
import type { Json } from "../../changes/json-patch.ts";
import type { Property, ScrapedItem } from "../../scraping/scraped.ts";

/** A machine as its items name it. */
export interface Machine {
  id: string;
  name: string;
}

interface Made {
  /** Below the machine. */
  path: string;
  name: string;
  type: string;
  config: Json;
  status?: string;
  health?: Health;
  properties?: Property[];
  description?: string;
}

const day = 86_400_000;
/** Days before its end from which a certificate is a warning. */
const soonDays = 14;
/** Parts of a hundred from which a file system is a warning, and unhealthy. */
const filling = { warning: 85, unhealthy: 95 };

/** What the things of a part are. */
export const typesOf: Readonly<Record<Exclude<HostPart, "system">, string>> = {
  packages: "Host::Package",
  services: "Host::Service",
  ports: "Host::Port",
  certificates: "Host::Certificate",
  containers: "Host::Container",
  users: "Host::User",
  filesystems: "Host::Filesystem",
  networks: "Host::Network",
};

type Reader = (lines: readonly string[], now: Date) => Made[];

/** `key=value`, with the quotes of shells. */
const pairsOf = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    lines.flatMap((line) => {
      const [, key, value] = /^([\w.]+)=(.*)$/.exec(line) ?? [];
      return key === undefined || value === ""
        ? []
        : [[key, value!.replace(/^(["'])(.*)\1$/, "$2")]];
    }),
  );

const packages: Reader = (lines) =>
  lines.flatMap((line) => {
    const [format, name, version, architecture, , summary] = line.split("\t");
    if (!format || !name || !version) return [];
    return [
      {
        path: `package/${name}/${architecture ?? ""}`,
        name,
        type: typesOf.packages,
        status: version,
        health: "healthy",
        config: { name, version, architecture: architecture ?? "", format },
        ...(summary && { description: summary }),
      },
    ];
  });

/** Blocks of `Key=value`, one a unit. */
const services: Reader = (lines) => {
  const units: Record<string, string>[] = [];
  let unit: Record<string, string> = {};
  for (const line of lines) {
    const [, key = "", value = ""] = /^(\w+)=(.*)$/.exec(line) ?? [];
    // Without an empty line between them, a key that comes again begins the next.
    if (Object.hasOwn(unit, key)) {
      units.push(unit);
      unit = {};
    }
    unit[key] = value;
  }
  units.push(unit);
  return units.flatMap(
    ({ Id = "", Description, LoadState, ActiveState, SubState, UnitFileState, FragmentPath }) => {
      if (!Id.endsWith(".service") || LoadState !== "loaded") return [];
      const name = Id.slice(0, -".service".length);
      const health: Health =
        ActiveState === "failed" ? "unhealthy" : ActiveState === "active" ? "healthy" : "unknown";
      return [
        {
          path: `service/${name}`,
          name,
          type: typesOf.services,
          status: `${ActiveState} (${SubState})`,
          health,
          config: {
            unit: Id,
            enabled: UnitFileState ?? "",
            state: ActiveState ?? "",
            file: FragmentPath ?? "",
          },
          ...(Description && { description: Description }),
        },
      ];
    },
  );
};

/** As the kernel writes it: in the order of the machine's bytes, four at a time. */
function addressOf(hex: string): string {
  const words = hex.match(/.{8}/g) ?? [];
  const bytes = words.flatMap((word) =>
    (word.match(/../g) ?? []).toReversed().map((byte) => Number.parseInt(byte, 16)),
  );
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.slice(0, 10).every((byte) => byte === 0) && bytes[10] === 255)
    return bytes.slice(12).join(".");
  const groups = Array.from({ length: 8 }, (_, at) =>
    ((bytes[at * 2]! << 8) | bytes[at * 2 + 1]!).toString(16),
  );
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}

const ports: Reader = (lines) => {
  const programs = new Map<string, string>();
  for (const line of lines) {
    const [, protocol, port, program] =
      /^ss (tcp|udp)\s+\S+\s+\d+\s+\d+\s+\S*:(\d+)\s+\S+\s+users:\(\("([^"]+)"/.exec(line) ?? [];
    if (protocol) programs.set(`${protocol}/${port}`, program!);
  }
  const found = new Map<string, { port: number; protocol: string; addresses: Set<string> }>();
  for (const line of lines) {
    const [, kind, address = "", hexPort = ""] =
      /^(tcp6?|udp6?) ([0-9A-F]+):([0-9A-F]{4}) /.exec(line) ?? [];
    if (!kind) continue;
    const protocol = kind.slice(0, 3);
    const port = Number.parseInt(hexPort, 16);
    const key = `${protocol}/${port}`;
    const known = found.get(key) ?? { port, protocol, addresses: new Set<string>() };
    known.addresses.add(addressOf(address));
    found.set(key, known);
  }
  return [...found].map(([key, { port, protocol, addresses }]) => {
    const program = programs.get(key);
    return {
      path: `port/${key}`,
      name: program ? `${port}/${protocol} ${program}` : `${port}/${protocol}`,
      type: typesOf.ports,
      status: "listening",
      health: "healthy" as const,
      config: {
        port,
        protocol,
        addresses: [...addresses].toSorted(),
        ...(program !== undefined && { program }),
      },
    };
  });
};

const certificates: Reader = (lines, now) => {
  const found: Made[] = [];
  const text = lines.join("\n");
  for (const part of text.split(/^file /m).slice(1)) {
    const end = part.indexOf("\n");
    const file = part.slice(0, end);
    try {
      const one = new X509Certificate(part.slice(end + 1));
      const ends = new Date(one.validTo);
      const left = Math.floor((+ends - +now) / day);
      found.push({
        path: `certificate/${file}`,
        name: /CN=([^\n]+)/.exec(one.subject)?.[1] ?? file,
        type: typesOf.certificates,
        status: left < 0 ? "expired" : left <= soonDays ? `ends in ${left} days` : "valid",
        health: left < 0 ? "unhealthy" : left <= soonDays ? "warning" : "healthy",
        config: {
          file,
          subject: one.subject.replaceAll("\n", ", "),
          issuer: one.issuer.replaceAll("\n", ", "),
          names: one.subjectAltName ?? "",
          serial: one.serialNumber,
          fingerprint: one.fingerprint256,
          valid_from: new Date(one.validFrom).toISOString(),
          valid_to: ends.toISOString(),
        },
      });
    } catch {
      // Not a certificate after all.
    }
  }
  return found;
};

const containers: Reader = (lines) =>
  lines.flatMap((line) => {
    const [engine, id, name, image, state, status = "", published = ""] = line.split("\t");
    if (!engine || !id || !name) return [];
    const code = /Exited \((\d+)\)/.exec(status)?.[1];
    const health: Health =
      state === "running"
        ? /unhealthy/.test(status)
          ? "unhealthy"
          : "healthy"
        : code !== undefined && code !== "0"
          ? "unhealthy"
          : "unknown";
    return [
      {
        path: `container/${engine}/${name}`,
        name,
        type: typesOf.containers,
        status: state ?? "",
        health,
        config: { engine, id, name, image: image ?? "", ports: published },
      },
    ];
  });

const users: Reader = (lines) =>
  lines.flatMap((line) => {
    const [name, , uid, gid, comment, home, shell] = line.split(":");
    if (!name || uid === undefined) return [];
    return [
      {
        path: `user/${name}`,
        name,
        type: typesOf.users,
        config: {
          name,
          uid: Number(uid),
          gid: Number(gid),
          comment: comment ?? "",
          home: home ?? "",
          shell: shell ?? "",
        },
      },
    ];
  });

const withoutDevice = new Set(["tmpfs", "devtmpfs", "overlay", "squashfs", "efivarfs", "ramfs"]);

const filesystems: Reader = (lines) =>
  lines.flatMap((line) => {
    const [, device, kind, size, used, , , mount] =
      /^(\S+)\s+(\S+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\d+)%\s+(.+)$/.exec(line) ?? [];
    if (!mount || withoutDevice.has(kind!) || size === "0") return [];
    const percent = Math.round((Number(used) / Number(size)) * 100);
    const health: Health =
      percent >= filling.unhealthy
        ? "unhealthy"
        : percent >= filling.warning
          ? "warning"
          : "healthy";
    return [
      {
        path: `filesystem/${mount}`,
        name: mount,
        type: typesOf.filesystems,
        health,
        status: health === "healthy" ? "mounted" : "filling up",
        config: { mount, device: device!, kind: kind!, bytes: Number(size) * 1024 },
        properties: [
          { name: "used", value: percent, max: 100, unit: "percent" },
          { name: "size", value: Number(size) * 1024, unit: "bytes" },
        ],
      },
    ];
  });

const networks: Reader = (lines) => {
  const links = new Map<string, { address: string; state: string; addresses: string[] }>();
  for (const line of lines) {
    const [kind, name = "", first = "", second = ""] = line.split(" ");
    const known = links.get(name) ?? { address: "", state: "", addresses: [] };
    if (kind === "link") Object.assign(known, { address: first, state: second });
    else if (kind === "addr") known.addresses.push(first);
    links.set(name, known);
  }
  return [...links].map(([name, { address, state, addresses }]) => ({
    path: `network/${name}`,
    name,
    type: typesOf.networks,
    status: state || "unknown",
    health: state === "up" ? ("healthy" as const) : ("unknown" as const),
    config: { name, mac: address, addresses: addresses.toSorted() },
  }));
};

const readers: Readonly<Record<Exclude<HostPart, "system">, Reader>> = {
  packages,
  services,
  ports,
  certificates,
  containers,
  users,
  filesystems,
  networks,
};

const itemOf = (
  machine: Machine,
  { path, name, type, config, status, health, properties = [], description }: Made,
): ScrapedItem => ({
  externalId: path === "" ? machine.id : `${machine.id}/${path}`,
  aliases: [],
  name,
  type,
  configClass: type.slice("Host::".length),
  config,
  ...(status !== undefined && status !== "" && { status }),
  health: health ?? "unknown",
  ready: true,
  ...(description !== undefined && { description }),
  labels: {},
  tags: { host: machine.name },
  properties,
  parents: path === "" ? [] : [{ externalId: machine.id, type: "Host::Machine" }],
  relations: [],
});

/** The machine itself. */
export function machineItem(machine: Machine, lines: readonly string[]): ScrapedItem {
  const said = pairsOf(lines);
  const os = Object.fromEntries(
    Object.entries(said).flatMap(([key, value]) =>
      key.startsWith("os.") ? [[key.slice(3).toLowerCase(), value]] : [],
    ),
  );
  const number = (key: string) => (said[key] === undefined ? {} : { [key]: Number(said[key]) });
  const { kernel, machine: architecture, cpu, timezone, virtualisation, boot } = said;
  const config: Record<string, Json> = {
    hostname: machine.name,
    ...(Object.keys(os).length > 0 && { os }),
    ...(kernel !== undefined && { kernel }),
    ...(architecture !== undefined && { architecture }),
    ...(cpu !== undefined && { cpu }),
    ...number("cpus"),
    ...number("memory_kib"),
    ...number("swap_kib"),
    ...(boot !== undefined && { started_at: new Date(Number(boot) * 1000).toISOString() }),
    ...(timezone !== undefined && { timezone }),
    ...(virtualisation !== undefined && virtualisation !== "none" && { virtualisation }),
    ...(said.sys_vendor !== undefined && { vendor: said.sys_vendor }),
    ...(said.product_name !== undefined && { product: said.product_name }),
  };
  return itemOf(machine, {
    path: "",
    name: machine.name,
    type: "Host::Machine",
    status: os.pretty_name ?? "running",
    health: "healthy",
    config,
    properties: [
      ...(said.cpus === undefined ? [] : [{ name: "cpus", value: Number(said.cpus) }]),
      ...(said.memory_kib === undefined
        ? []
        : [{ name: "memory", value: Number(said.memory_kib) * 1024, unit: "bytes" }]),
    ],
  });
}

/** What a part of the survey found. */
export const itemsOf = (
  machine: Machine,
  part: Exclude<HostPart, "system">,
  lines: readonly string[],
  now: Date,
): ScrapedItem[] => readers[part](lines, now).map((made) => itemOf(machine, made));
