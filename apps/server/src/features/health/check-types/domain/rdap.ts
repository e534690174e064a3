import { LRUCache } from "lru-cache";
import { ApiRefusal, askJson, below } from "#platform/outbound/http/ask-json.ts";
import type { ExchangeOptions } from "#platform/outbound/http/exchange.ts";
import { asList, asObject } from "#platform/outbound/http/read-json.ts";
import { NotTried } from "#platform/outbound/not-tried.ts";

/** What a registry says of a domain (RFC 9083). */
export interface Registration {
  /** As it is registered: the name that was asked for, or one above it. */
  name: string;
  ends?: Date;
  statuses: readonly string[];
  registrar?: string;
}

/** Registries count who asks; what they said is good for this long. */
const keptMs = 3_600_000;
const listKeptMs = 86_400_000;
const lists = new LRUCache<string, Map<string, URL>>({ max: 8, ttl: listKeptMs });
const registrations = new LRUCache<string, Registration>({ max: 5_000, ttl: keptMs });

const accept = { accept: "application/rdap+json, application/json" };
const mostBody = 4 * 1024 * 1024;
/** Names above one another that are asked for at most. */
const mostNames = 4;

/** For tests. */
export function forgetRegistrations(): void {
  lists.clear();
  registrations.clear();
}

/** Which server answers for which domains (RFC 9224). */
async function readList(address: string, options: ExchangeOptions): Promise<Map<string, URL>> {
  const known = lists.get(address);
  if (known) return known;
  const what = "the list of RDAP servers";
  let json: unknown;
  try {
    ({ json } = await askJson(
      { url: new URL(address), headers: accept, mostBody },
      { what, ...options },
    ));
  } catch (error) {
    options.signal.throwIfAborted();
    // Nothing about the domain.
    throw new NotTried(error instanceof Error ? error.message : String(error), { cause: error });
  }
  const servers = new Map<string, URL>();
  for (const service of asList(asObject(json).services)) {
    const [names, urls] = asList(service).map(asList);
    const url = pick(urls ?? []);
    if (!url) continue;
    for (const name of names ?? [])
      if (typeof name === "string") servers.set(name.toLowerCase(), url);
  }
  if (servers.size === 0) throw new NotTried(`${what} at ${address} names none`);
  lists.set(address, servers);
  return servers;
}

function pick(urls: readonly unknown[]): URL | undefined {
  const found = urls.filter((url): url is string => typeof url === "string" && URL.canParse(url));
  const url = found.find((one) => one.startsWith("https:")) ?? found[0];
  return url !== undefined && /^https?:/i.test(url) ? new URL(url) : undefined;
}

const labelsAbove = (name: string): string[] => {
  const labels = name.split(".");
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join("."));
};

/** The server for the longest end of the name that the list knows. */
async function findServer(name: string, bootstrap: string, options: ExchangeOptions): Promise<URL> {
  const servers = await readList(bootstrap, options);
  const labels = name.split(".");
  for (let index = 1; index < labels.length; index += 1) {
    const server = servers.get(labels.slice(index).join("."));
    if (server) return server;
  }
  throw new NotTried(
    `the registry of .${labels.at(-1)} has no RDAP server that is known; name one with "server"`,
  );
}

export interface RegistrationQuestion {
  name: string;
  /** Of the registry; else it is found in the list. */
  server?: string;
  bootstrap: string;
}

/** Undefined when neither the name nor one above it is registered. */
export async function findRegistration(
  { name, server, bootstrap }: RegistrationQuestion,
  options: ExchangeOptions,
): Promise<Registration | undefined> {
  const base = server ? new URL(server) : await findServer(name, bootstrap, options);
  // The name itself first: what lies above `shop.example.co.uk` is `example.co.uk`, and no list here says so.
  for (const one of labelsAbove(name).slice(-mostNames)) {
    const found = await ask(one, base, options);
    if (found) return found;
  }
  return undefined;
}

async function ask(
  name: string,
  base: URL,
  options: ExchangeOptions,
): Promise<Registration | undefined> {
  const key = `${base.href} ${name}`;
  const known = registrations.get(key);
  if (known) return known;
  try {
    const url = below(base, `/domain/${name}`);
    const what = "the registry";
    const { json } = await askJson({ url, headers: accept, mostBody }, { what, ...options });
    const found = read(name, json);
    registrations.set(key, found);
    return found;
  } catch (error) {
    // What is no domain of theirs some call a bad question.
    if (error instanceof ApiRefusal && (error.code === 404 || error.code === 400)) return undefined;
    // The registry is not the target: that it is away or busy says nothing about the domain.
    throw new NotTried(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function read(name: string, json: unknown): Registration {
  const { events, status, ldhName, entities } = asObject(json);
  const ends = endOf(asList(events).map(asObject));
  const registrar = asList(entities)
    .map(asObject)
    .find(({ roles }) => asList(roles).includes("registrar"));
  const said = typeof ldhName === "string" && ldhName !== "" ? ldhName : name;
  const holder = registrar && nameOf(registrar.vcardArray);
  return {
    name: said.toLowerCase().replace(/\.$/, ""),
    ...(ends && { ends }),
    statuses: asList(status)
      .filter((one): one is string => typeof one === "string")
      .slice(0, 20)
      .map((one) => one.slice(0, 100)),
    ...(holder !== undefined && { registrar: holder }),
  };
}

/** The registry's own date comes before that of who sold it. */
function endOf(events: readonly Record<string, unknown>[]): Date | undefined {
  for (const action of ["expiration", "registrar expiration", "soft expiration"])
    for (const { eventAction, eventDate } of events) {
      if (eventAction !== action || typeof eventDate !== "string") continue;
      const date = new Date(eventDate);
      if (!Number.isNaN(date.getTime())) return date;
    }
  return undefined;
}

/** `["vcard", [["fn", {}, "text", "Example Registrar"]]]` (RFC 7095). */
function nameOf(card: unknown): string | undefined {
  const line = asList(asList(card)[1])
    .map(asList)
    .find(([field]) => field === "fn");
  const name = line?.[3];
  return typeof name === "string" && name !== "" ? name.slice(0, 200) : undefined;
}
