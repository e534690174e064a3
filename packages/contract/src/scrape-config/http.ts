import { z } from "zod";
import { durationText, envVar, headerVar, secretVar } from "../canary/fields.ts";
import { httpMethod, isHttpAddress, responseCode } from "../canary/http.ts";
import { httpConnectionShape } from "../canary/http-connection.ts";
import { secretIn } from "../secrets/marks.ts";
import { baseShape } from "./base-fields.ts";
import { celText } from "../resource-selector/lookup.ts";

const pagination = z
  .looseObject({
    nextPageExpr: celText
      .min(1)
      .describe(
        "A CEL expression over the answer (body, headers, status, url): the address of the next page, a request with url, method, body and headers, or null at the end.",
      ),
    reduceExpr: celText
      .optional()
      .describe("A CEL expression that adds page to acc, a list; lists are joined when absent."),
    perPage: z.boolean().optional().describe("Make items of each page by itself."),
    maxPages: z.int().min(0).max(100_000).optional().describe("Pages at most; 0 for all."),
    delay: durationText.optional().describe("Pause before each further page, for example 500ms."),
  })
  .describe("How an answer of several pages is read.");
export type PaginationSpec = z.output<typeof pagination>;

/** A mapping of names, as documents of 2024 have it, is a list of headers. */
const headers = z
  .union(
    [
      z.array(headerVar).max(256),
      z
        .record(z.string().min(1).max(1000), secretIn("header", envVar))
        .transform((found) => Object.entries(found).map(([name, value]) => ({ ...value, name }))),
    ],
    { error: "Expected a list of headers with name and value, or a mapping of names to values." },
  )
  .refine((found) => found.length <= 256, "There are too many headers, at most 256 are sent.");

export const httpScraper = z
  .looseObject({
    ...httpConnectionShape,
    url: secretIn("address", z.string().max(8192))
      .optional()
      .describe("Address to read, a Go template. A password in it is secret."),
    headers: headers
      .optional()
      .describe("Headers to send; a mapping of names to values is read, too."),
    env: z.array(secretVar).max(256).optional().describe("Variables for the templates."),
    method: httpMethod.optional().describe("HTTP method; GET when absent."),
    body: z.string().max(1_048_576).optional().describe("Body to send."),
    expectedStatus: z
      .union([z.array(responseCode).max(100), responseCode])
      .transform((found) => (Array.isArray(found) ? found : [found]))
      .optional()
      .describe(
        "Our addition: codes that an answer may have, 200, 2xx or 200-299. Any 2xx when absent; with another the scrape fails.",
      ),
    pagination: pagination.optional(),
    ...baseShape,
  })
  .superRefine(({ url, connection }, context) => {
    if (!url && !connection)
      context.addIssue({ code: "custom", path: [], message: "An http scraper needs a url." });
    if (url && !isHttpAddress(url))
      context.addIssue({
        code: "custom",
        path: ["url"],
        message: "The address must begin with http:// or https:// and name a host.",
      });
  })
  .describe("Answers of web addresses.");

export type HttpScraper = z.output<typeof httpScraper>;
