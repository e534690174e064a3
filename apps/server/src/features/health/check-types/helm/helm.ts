import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { checkSpecs, type HelmSpec } from "@mainstay/contract";
import { parseDocument } from "yaml";
import { isHttp, readableAddress } from "#platform/outbound/http/address.ts";
import { type Exchange, exchange, type HttpRequest } from "#platform/outbound/http/exchange.ts";
import {
  attempt,
  type CheckInput,
  checkType,
  type CheckOutcome,
  failed,
  inMs,
  passed,
} from "../check-type.ts";
import { packChart } from "./chart.ts";

const chartName = "mainstay-check";
const mostAnswer = 1_048_576;
const mostIndex = 10 * 1024 * 1024;
const cleanUpMs = 15_000;
const longestFile = 1_048_576;

/** The ChartMuseum did not do what it was asked for. */
class Refused extends Error {}

function saidIn(body: Buffer): string {
  try {
    const { error } = JSON.parse(body.toString("utf8")) as { error?: unknown };
    if (typeof error === "string") return `: ${error.slice(0, 300)}`;
  } catch {
    // Not in its own words.
  }
  return "";
}

async function requestParts(spec: HelmSpec): Promise<Pick<HttpRequest, "auth" | "tls">> {
  const username = spec.username?.value;
  const ca = spec.cafile && (await readCa(spec.cafile));
  return {
    ...(username && {
      auth: { kind: "basic" as const, username, password: spec.password?.value ?? "" },
    }),
    ...(ca && { tls: { ca } }),
  };
}

async function readCa(path: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new Refused(`the cafile cannot be read (${error.code})`);
  });
  if (text.length <= longestFile) return text;
  throw new Refused("the cafile is too long");
}

async function roundTrip(input: CheckInput<HelmSpec>, base: URL): Promise<CheckOutcome> {
  const { spec, connector, signal } = input;
  const shared = await requestParts(spec);
  const project = spec.project ? `/${encodeURIComponent(spec.project)}` : "";
  const at = (path: string) => {
    const url = new URL(base);
    url.pathname = url.pathname.replace(/\/+$/, "") + path;
    return url;
  };
  const version = `0.0.0-${randomBytes(6).toString("hex")}`;
  const chart = await packChart({ name: chartName, version });
  const own = `/api${project}/charts/${chartName}/${version}`;

  const ask = async (
    task: string,
    request: Omit<HttpRequest, "url"> & { path: string },
    until = signal,
  ): Promise<Exchange> => {
    const { path, ...rest } = request;
    const answer = await exchange(
      { mostBody: mostAnswer, ...shared, ...rest, url: at(path) },
      { signal: until, connector },
    );
    if (answer.code >= 200 && answer.code < 300) return answer;
    const hint = answer.code === 401 || answer.code === 403 ? " (are the credentials right?)" : "";
    throw new Refused(`cannot ${task}: it answered ${answer.code}${hint}${saidIn(answer.body)}`);
  };

  let isThere = false;
  try {
    isThere = true;
    await ask("put the chart there", {
      path: `/api${project}/charts`,
      method: "POST",
      headers: { "content-type": "application/octet-stream" },
      body: chart,
    });
    const index = await ask("get the index", {
      path: `${project}/index.yaml`,
      mostBody: mostIndex,
    });
    const address = addressIn(index, version);
    if (address === undefined)
      return failed("the index does not name the chart that was put there");
    const back = await ask("get the chart back", {
      path: /^https?:/i.test(address)
        ? new URL(address).pathname
        : `${project}/${address.replace(/^\//, "")}`,
      mostBody: chart.length + 1,
    });
    if (!back.body.equals(chart))
      return failed("the chart that came back is not the one that was put there");
    await ask("delete the chart", { path: own, method: "DELETE" });
    isThere = false;
    return passed("a chart was put there, came back and was deleted");
  } catch (error) {
    if (error instanceof Refused) return failed(error.message);
    throw error;
  } finally {
    if (isThere)
      await ask(
        "delete the chart",
        { path: own, method: "DELETE" },
        AbortSignal.timeout(cleanUpMs),
      ).catch(() => undefined);
  }
}

/** Where the index says that the version lies. */
function addressIn({ body, isCut }: Exchange, version: string): string | undefined {
  if (isCut) throw new Refused("the index is longer than 10 MiB");
  let content: unknown;
  try {
    const document = parseDocument(body.toString("utf8"), { logLevel: "silent" });
    if (document.errors.length > 0) throw new Refused("the index is no YAML");
    content = document.toJS({ maxAliasCount: 0 });
  } catch {
    throw new Refused("the index is no YAML");
  }
  const entries = (content as { entries?: Record<string, unknown> } | null)?.entries;
  const versions = entries?.[chartName];
  if (!Array.isArray(versions)) return undefined;
  const found = (versions as { version?: unknown; urls?: unknown }[]).find(
    (one) => one?.version === version,
  );
  const [address]: unknown[] = Array.isArray(found?.urls) ? found.urls : [];
  return typeof address === "string" ? address : undefined;
}

export const helm = checkType<HelmSpec>({
  type: "helm",
  spec: checkSpecs.helm,
  network: true,
  endpoint: (spec) => readableAddress(spec.url ?? spec.connection ?? ""),
  async run(input) {
    const address = input.spec.url ?? "";
    const base = URL.canParse(address) ? new URL(address) : undefined;
    if (!base || !isHttp(base))
      return failed("chartmuseum is no address such as http://chartmuseum:8080", { invalid: true });
    const started = performance.now();
    return attempt(input, async () => {
      const outcome = await roundTrip(input, base);
      const durationMs = performance.now() - started;
      return outcome.pass
        ? { ...outcome, message: `${outcome.message} in ${inMs(durationMs)}`, durationMs }
        : outcome;
    });
  },
});
