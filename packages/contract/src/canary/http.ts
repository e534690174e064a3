import { z } from "zod";
import {
  authenticationShape,
  commonShape,
  connectionShape,
  count,
  durationText,
  envVar,
  flattenAuthentication,
  headerVar,
  maxSSLExpiry,
  millis,
  patternText,
  tls,
} from "./fields.ts";
import { awsSigV4, loginShape, tokenShape } from "./http-connection.ts";
import { clusterShape } from "./kubernetes-fields.ts";
import { secret, secretIn } from "../secrets/marks.ts";

/** Codes a response may have: one code, a class, or a range with both ends included. */
export interface CodeRange {
  from: number;
  to: number;
}

/** Reads `204`, `"2xx"` or `"200-299"`. Throws an error that says what is wrong. */
export function parseResponseCode(code: number | string): CodeRange {
  const text = String(code).trim().toLowerCase();
  const range = /^(\d{3})(?:\s*-\s*(\d{3}))?$/.exec(text);
  const family = /^([1-5])xx$/.exec(text);
  const from = family ? Number(family[1]) * 100 : Number(range?.[1] ?? Number.NaN);
  const to = family ? from + 99 : Number(range?.[2] ?? from);
  if (!(from >= 100 && to <= 599 && from <= to)) {
    throw new Error(`"${text.slice(0, 20)}" is not a response code: write 200, 2xx or 200-299`);
  }
  return { from, to };
}

export const responseCode = z.union([z.int(), z.string()]).superRefine((code, context) => {
  try {
    parseResponseCode(code);
  } catch (error) {
    context.addIssue({ code: "custom", message: (error as Error).message });
  }
});

export const jsonContent = z
  .looseObject({
    path: z
      .string()
      .min(1)
      .max(1000)
      .describe("JSONPath to a value in the body, for example $.status."),
    value: z
      .union([z.string(), z.number(), z.boolean()])
      .transform((value) => String(value))
      .describe("The text that value must have."),
  })
  .describe("A value that the JSON body must hold.");

export const httpMethod = z
  .string()
  .regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,32}$/, "This is not an HTTP method.");

const domains = z.array(z.string().max(300)).max(100);
const filters = z.array(patternText).max(100);

const crawl = z
  .looseObject({
    filters: filters.optional().describe("Links to follow: regular expressions of addresses."),
    depth: count.max(100).optional().describe("Links to follow in a row; 10 when absent."),
    allowedDomains: domains
      .optional()
      .describe("Domains to stay in; that of the address when absent."),
    disallowedDomains: domains.optional().describe("Domains not to go to."),
    allowedURLFilters: filters.optional().describe("More links to follow, as filters."),
    disallowedURLFilters: filters
      .optional()
      .describe("Links not to follow: regular expressions of addresses."),
    delay: durationText.optional().describe("Pause before each request; 500ms when absent."),
    randomDelay: durationText
      .optional()
      .describe("Longest pause on top of it, by chance; 100ms when absent."),
    parallelism: z
      .int()
      .min(1)
      .max(16)
      .optional()
      .describe("Requests at the same time; 2 when absent."),
  })
  .describe("Follow the links of the page, and fail when one leads nowhere.");

export const httpSpec = z
  .looseObject({
    ...commonShape,
    ...connectionShape,
    ...authenticationShape,
    endpoint: secretIn("address", z.string().max(8192))
      .optional()
      .describe("Another name for url; only one of the two may be set."),
    method: httpMethod.optional().describe("HTTP method; GET when absent."),
    headers: z.array(headerVar).max(256).optional().describe("Headers to send."),
    body: z.string().optional().describe("Body to send."),
    templateBody: z.boolean().optional().describe("The body is a Go template."),
    env: z
      .array(secret(envVar))
      .max(256)
      .optional()
      .describe("Variables for the template of the body."),
    envVar: z.array(secret(envVar)).max(256).optional().describe("What earlier versions call env."),
    kubernetes: z
      .looseObject(clusterShape)
      .optional()
      .describe(
        "The cluster whose API server passes the request on to a service: http://service.namespace/path. {} is the server's own.",
      ),
    thresholdMillis: millis
      .optional()
      .describe("Longest time an answer may take, in milliseconds; also the client's timeout."),
    responseCodes: z
      .array(responseCode)
      .max(100)
      .optional()
      .describe("Accepted codes: 200, 2xx or 200-299. Any 2xx when absent."),
    responseContent: z.string().max(65_536).optional().describe("Text that the body must contain."),
    responseJSONContent: jsonContent.optional(),
    maxSSLExpiry: maxSSLExpiry.optional(),
    maxRedirects: count
      .max(100)
      .optional()
      .describe("Redirects to follow; 10 when absent, 0 for none."),
    proxy: secretIn("address", z.string().max(2048))
      .optional()
      .describe(
        "Address of an HTTP proxy; a password in it is secret. The environment's proxies are not used.",
      ),
    tlsConfig: tls.optional(),
    ...loginShape,
    bearer: secret(envVar).optional().describe("Token to send as Bearer."),
    oauth2: z
      .looseObject(tokenShape)
      .optional()
      .describe(
        "OAuth 2 client credentials: username and password are the client id and the client secret.",
      ),
    awsSigV4: awsSigV4.optional(),
    crawl: crawl.optional(),
  })
  .superRefine((spec, context) => {
    if (spec.url && spec.endpoint) {
      context.addIssue({
        code: "custom",
        path: ["endpoint"],
        message: "Set url or endpoint, not both: they mean the same.",
      });
    }
    if (!spec.url && !spec.endpoint && !spec.connection) {
      context.addIssue({ code: "custom", path: [], message: "An http check needs a url." });
    }
    const address = spec.url ? "url" : spec.endpoint ? "endpoint" : undefined;
    if (address && !isHttpAddress(spec[address] as string)) {
      context.addIssue({
        code: "custom",
        path: [address],
        message: "The address must begin with http:// or https:// and name a host.",
      });
    }
    if (spec.proxy !== undefined && !isHttpAddress(spec.proxy)) {
      context.addIssue({
        code: "custom",
        path: ["proxy"],
        message: "The proxy must begin with http:// or https:// and name a host.",
      });
    }
  })
  .transform(({ endpoint, ...spec }) =>
    flattenAuthentication({ ...spec, url: spec.url ?? endpoint }),
  )
  .describe("Requests to web addresses.");

export type HttpSpec = z.output<typeof httpSpec>;

export function isHttpAddress(text: string): boolean {
  // A template cannot be judged before it is evaluated.
  if (text.includes("{{") || text.includes("$(")) return true;
  return /^https?:\/\//i.test(text) && URL.canParse(text);
}
