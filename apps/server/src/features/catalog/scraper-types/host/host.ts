import { hostParts, type HostScraper } from "@mainstay/contract";
import { runScript } from "#platform/outbound/scripts/run-script.ts";
import type { SshTarget } from "#platform/outbound/ssh/open-ssh.ts";
import { runOverSsh } from "#platform/outbound/ssh/run-over-ssh.ts";
import type { Found } from "../../scraping/scraped.ts";
import { type ScrapeInput, scraperType } from "../scraper-type.ts";
import { itemsOf, machineItem, typesOf } from "./host-items.ts";
import { certificatePlaces, newMark, readSurvey, surveyScript } from "./survey.ts";

/** Bytes of what a survey prints. */
const mostOutput = 32 * 1024 * 1024;

async function* scrape(input: ScrapeInput<HostScraper>): AsyncIterable<Found> {
  const { spec, now } = input;
  const parts = hostParts.filter(
    (part) =>
      (spec.include === undefined || spec.include.includes(part)) &&
      spec.exclude?.includes(part) !== true,
  );
  const mark = newMark();
  const places = [...certificatePlaces, ...(spec.certificatePaths ?? [])];
  const script = surveyScript(parts, { places, mark });
  const target = targetOf(spec);
  const survey = readSurvey(
    target
      ? (await runOverSsh(target, script, { ...input, mostOutput })).stdout
      : await here(script, input),
    mark,
  );
  const { lines, unread } = survey;
  const [id = "", name = id] = lines.get("identity") ?? [];
  if (id === "") throw new Error("The machine does not say who it is (/etc/machine-id, hostname).");
  const machine = { id: `host/${id}`, name };
  yield { kind: "item", item: machineItem(machine, lines.get("system") ?? []) };
  for (const part of parts) {
    if (part === "system") continue;
    for (const item of itemsOf(machine, part, lines.get(part) ?? [], now))
      yield { kind: "item", item };
    if (unread.has(part)) {
      const type = typesOf[part];
      yield {
        kind: "notice",
        type,
        message: `${name} does not tell all of its ${part}: what is not seen is not taken for gone.`,
        untold: { unseen: [{ type, tags: { host: name } }], unjudged: [] },
      };
    }
  }
}

/** Where to sign in; nothing for this machine. */
function targetOf(spec: HostScraper): SshTarget | undefined {
  const address =
    spec.connection && URL.canParse(spec.connection) ? new URL(spec.connection) : undefined;
  const host = spec.host || address?.hostname;
  if (!host) return undefined;
  const username = spec.username?.value || decodeURIComponent(address?.username ?? "");
  if (username === "") throw new Error("username: say who signs in at the machine.");
  const password = spec.password?.value || decodeURIComponent(address?.password ?? "");
  return {
    host: host.replaceAll(/^\[|\]$/g, ""),
    port: Number(spec.port ?? (address?.port || 22)),
    username,
    ...(password !== "" && { password }),
    privateKey: spec.privateKey?.value,
    hostKey: spec.hostKey,
  };
}

async function here(
  script: string,
  { connector, signal }: ScrapeInput<HostScraper>,
): Promise<string> {
  const { run } = await runScript(
    { script: `#!/bin/sh\n${script}` },
    { connector, signal, keptOutput: mostOutput },
  );
  signal.throwIfAborted();
  return run.stdout.text;
}

/** A machine: this one, or any that lets somebody sign in over SSH. */
export const hostScraper = scraperType<HostScraper>({ type: "host", scrape });
