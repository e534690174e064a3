import { z } from "zod";
import {
  authenticationShape,
  commonShape,
  connectionShape,
  envVar,
  flattenAuthentication,
  headerVar,
  maxSSLExpiry,
  millis,
  patternText,
  secretVar,
  tls,
} from "./fields.ts";
import { httpMethod, jsonContent, responseCode } from "./http.ts";
import { tokenShape } from "./http-connection.ts";
import { secret, secretIn } from "../secrets/marks.ts";

const mostSteps = 50;
const mostCleanup = 20;

/** Names of variables, as steps write them: `${order_id}`. */
const variableName = z
  .string()
  .regex(/^[A-Za-z_]\w{0,63}$/, "A variable is named by letters, digits and _.");

/** Every `${name}` of a text. */
export const stepVariables = (text: string): string[] =>
  [...text.matchAll(/\$\{\s*([A-Za-z_]\w*)\s*\}/g)].map(([, name]) => name!);

const ways = ["jsonPath", "regex", "header", "cookie"] as const;

const extract = z
  .looseObject({
    name: variableName.describe("Name of the variable; later steps write ${name}."),
    jsonPath: z
      .string()
      .min(1)
      .max(1000)
      .optional()
      .describe("JSONPath into the body, for example $.id."),
    regex: patternText
      .optional()
      .describe("Regular expression over the body; its first group, or all of it, is the value."),
    header: z.string().min(1).max(256).optional().describe("Name of a header of the answer."),
    cookie: z
      .string()
      .min(1)
      .max(256)
      .optional()
      .describe("Name of a cookie that the answer sets."),
    show: z
      .boolean()
      .optional()
      .describe("Show the value in results; it is hidden when absent, as it may be a token."),
  })
  .superRefine((one, context) => {
    if (ways.filter((way) => one[way] !== undefined).length === 1) return;
    context.addIssue({
      code: "custom",
      path: [],
      message: "Say one of jsonPath, regex, header and cookie.",
    });
  })
  .describe("A value of the answer that later steps use.");

const wantedHeader = z.looseObject({
  name: z.string().min(1).max(256).describe("Name of the header."),
  value: z.string().max(4096).optional().describe("Text that it must contain; any when absent."),
});

const step = z
  .looseObject({
    name: z.string().max(200).optional().describe("Name of the step, for people."),
    url: secretIn("address", z.string().max(8192))
      .optional()
      .describe("Path below the address of the check, for example /login, or a whole address."),
    method: httpMethod.optional().describe("HTTP method; GET when absent."),
    headers: z.array(headerVar).max(256).optional().describe("Headers to send in this step."),
    body: z
      .string()
      .optional()
      .describe("Body to send; ${name} in it is a variable, written as JSON or a form needs it."),
    responseCodes: z
      .array(responseCode)
      .max(100)
      .optional()
      .describe("Accepted codes: 200, 2xx or 200-299. Any 2xx when absent."),
    responseContent: z.string().max(65_536).optional().describe("Text that the body must contain."),
    responseJSONContent: jsonContent.optional(),
    responseHeaders: z
      .array(wantedHeader)
      .max(50)
      .optional()
      .describe("Headers that the answer must have."),
    thresholdMillis: millis
      .optional()
      .describe("Longest time the answer of this step may take, in milliseconds."),
    maxRedirects: z
      .int()
      .min(0)
      .max(100)
      .optional()
      .describe("Redirects to follow; 10 when absent, 0 for none."),
    extract: z.array(extract).max(50).optional().describe("Variables to take out of the answer."),
  })
  .describe("A request, what is expected of its answer, and what of it is used later.");

export type MultistepStep = z.output<typeof step>;

/** The part of an address before its path; what it says decides who is sent secrets. */
const origin = (text: string) => /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i.exec(text)?.[0] ?? "";

export const multistepSpec = z
  .looseObject({
    ...commonShape,
    ...connectionShape,
    ...authenticationShape,
    url: connectionShape.url.describe(
      "Address of the application; steps are below it, and only it is sent the credentials.",
    ),
    headers: z
      .array(headerVar)
      .max(256)
      .optional()
      .describe("Headers that every step sends there."),
    bearer: secret(envVar).optional().describe("Token to send as Bearer."),
    oauth2: z
      .looseObject(tokenShape)
      .optional()
      .describe("OAuth 2 client credentials: username and password are the client id and secret."),
    env: z.array(secretVar).max(256).optional().describe("Variables that steps begin with."),
    tlsConfig: tls.optional(),
    maxSSLExpiry: maxSSLExpiry.optional(),
    proxy: secretIn("address", z.string().max(2048))
      .optional()
      .describe("Address of an HTTP proxy; a password in it is secret."),
    steps: z
      .array(step)
      .min(1, "There are no steps.")
      .max(mostSteps)
      .describe(
        "Requests in their order; the first that fails ends them. Cookies are kept between them.",
      ),
    cleanup: z
      .array(step)
      .max(mostCleanup)
      .optional()
      .describe("Steps that run at the end whatever came of the others, each of them."),
  })
  .superRefine((spec, context) => {
    const issue = (path: (string | number)[], message: string) =>
      context.addIssue({ code: "custom", path, message });
    if (!spec.url && !spec.connection) issue([], "A check of several steps needs a url.");
    const known = new Set((spec.env ?? []).map(({ name }) => name));
    // What a step that did not run would have told may be missing at the end; that is no mistake.
    for (const part of ["steps", "cleanup"] as const)
      for (const [index, one] of (spec[part] ?? []).entries()) {
        const path = [part, index];
        const texts = [one.url, one.body, ...(one.headers ?? []).map(({ value }) => value)];
        for (const text of texts)
          for (const name of stepVariables(text ?? ""))
            if (!known.has(name))
              issue(path, `\${${name}} is set by no env and by no step before this one.`);
        if (origin(one.url ?? "").includes("${"))
          issue(
            [...path, "url"],
            "The host of an address is no variable: only its path may be one.",
          );
        if (/^[a-z][a-z0-9+.-]*:/i.test(one.url ?? "") && !/^https?:\/\//i.test(one.url!))
          issue([...path, "url"], "The address must begin with http:// or https://, or be a path.");
        for (const { name } of one.extract ?? []) known.add(name);
      }
  })
  .transform(flattenAuthentication)
  .describe("Requests one after the other that hand values on, with a clean-up at the end.");

export type MultistepSpec = z.output<typeof multistepSpec>;
