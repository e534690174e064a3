import type { MultistepSpec, MultistepStep } from "@mainstay/contract";
import type { Connector } from "#platform/outbound/connector.ts";
import type { CookieJar } from "#platform/outbound/http/cookies.ts";
import { type Exchange, exchange } from "#platform/outbound/http/exchange.ts";
import { openConnection } from "#platform/outbound/http/open-connection.ts";
import { readJson } from "#platform/outbound/http/read-json.ts";
import { judgeAnswer } from "../http/judge-answer.ts";
import { keptBegin } from "../http/kept-answer.ts";
import { extractValue } from "./extract.ts";
import { filledAddress, filledBody, filledHeaders, type Variables } from "./fill-variables.ts";

/** What steps of one run share. */
export interface StepsParts {
  spec: MultistepSpec;
  base: URL;
  jar: CookieJar;
  connector: Connector;
  /** Whatever must not be shown: values that were taken out, tokens that were fetched. */
  secrets: string[];
}

export interface StepAnswer {
  answer: Exchange;
  /** What is not as it should be. */
  error?: string;
  extracted: ReadonlyMap<string, string>;
}

/** Asks once; what goes wrong on the way is thrown. */
export async function runStep(
  { spec, base, jar, connector, secrets }: StepsParts,
  step: MultistepStep,
  { variables, signal }: { variables: Variables; signal: AbortSignal },
): Promise<StepAnswer> {
  const url = filledAddress(step.url ?? "", base, variables);
  const own = filledHeaders(step.headers, variables);
  const isBase = url.origin === base.origin;
  const shared = isBase ? filledHeaders(spec.headers, variables) : [];
  const names = new Set(own.map(({ name }) => name.toLowerCase()));
  const headers = [...shared.filter(({ name }) => !names.has(name.toLowerCase())), ...own];
  const body = step.body === undefined ? undefined : filledBody(step.body, headers, variables);
  const { username, password, bearer, oauth2, tlsConfig, proxy } = spec;
  const tls = isBase ? tlsConfig : { ...tlsConfig, cert: undefined, key: undefined };
  const options = { signal, connector };
  const connection = await openConnection(
    {
      url: url.href,
      tls,
      headers,
      // Credentials are for the address of the check, and for nobody whom a step asks besides.
      ...(isBase && {
        username,
        password,
        bearer,
        oauth: oauth2 && { ...oauth2, clientID: username, clientSecret: password },
      }),
    },
    options,
  );
  const { method, maxRedirects, thresholdMillis } = step;
  const limited = thresholdMillis
    ? AbortSignal.any([signal, AbortSignal.timeout(thresholdMillis)])
    : signal;
  let answer: Exchange;
  try {
    const request = { ...connection, method, body, proxy, maxRedirects, cookies: jar };
    answer = await exchange(request, { ...options, signal: limited });
  } catch (error) {
    if (thresholdMillis && limited.aborted && !signal.aborted)
      throw new Error(`no complete answer within ${thresholdMillis} ms`, { cause: error });
    throw error;
  }
  secrets.push(...answer.issued);
  const text = answer.body.toString("utf8");
  const json = readJson(text);
  const { responseCodes, responseContent, responseJSONContent, responseHeaders } = step;
  const expected = { responseCodes, responseContent, responseJSONContent, thresholdMillis };
  const extracted = new Map<string, string>();
  const error = judgeAnswer(expected, answer, json) ?? judgeHeaders(responseHeaders, answer);
  if (error !== undefined) return { answer, error, extracted };
  for (const one of step.extract ?? []) {
    try {
      const value = extractValue(one, { answer, text, json, jar });
      extracted.set(one.name, value);
      if (!one.show) secrets.push(value);
    } catch (problem) {
      return { answer, error: (problem as Error).message, extracted };
    }
  }
  return { answer, extracted };
}

function judgeHeaders(
  wanted: MultistepStep["responseHeaders"],
  answer: Exchange,
): string | undefined {
  const shown = keptBegin(answer).headers;
  for (const { name, value } of wanted ?? []) {
    const key = name.toLowerCase();
    const found = answer.headers[key];
    if (found === undefined) return `the answer has no header ${name}`;
    if (value !== undefined && !found.includes(value))
      return `the header ${name} is "${shown[key]?.slice(0, 200)}", wanted "${value.slice(0, 200)}"`;
  }
  return undefined;
}
