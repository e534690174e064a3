import { z } from "zod";
import { authenticationShape, commonShape, flattenAuthentication } from "./fields.ts";
import { httpConnectionShape } from "./http-connection.ts";
import { secretIn } from "../secrets/marks.ts";
import { needsAddress } from "./needs-address.ts";

const parts = (text: string) =>
  text
    .split(/[\n,]+/)
    .map((part) => part.trim())
    .filter(Boolean);

/** Form editors write a text, one entry a line or after a comma. */
const names = z
  .union([z.array(z.string().max(1000)).max(100), z.string().max(10_000)])
  .transform((value) => (typeof value === "string" ? parts(value) : value));

const matchers = z
  .union([z.record(z.string().max(200), z.string().max(1000)), z.string().max(10_000)])
  .transform((value) =>
    typeof value === "string"
      ? Object.fromEntries(
          parts(value).map((part) => {
            const [, label = part, pattern = ""] = /^([^=:~]+?)\s*[=:]~?\s*(.*)$/.exec(part) ?? [];
            return [label, pattern.replace(/^(["'])(.*)\1$/, "$2")];
          }),
        )
      : value,
  );

export const alertmanagerSpec = z
  .looseObject({
    ...commonShape,
    ...httpConnectionShape,
    ...authenticationShape,
    host: secretIn("address", z.string().max(8192)).optional().describe("Another name for url."),
    alerts: names.optional().describe("Alerts to look for: regular expressions of their names."),
    filters: matchers
      .optional()
      .describe("Labels that alerts must have: a regular expression for each."),
    exclude_filters: matchers
      .optional()
      .describe("Labels that alerts must not have: a value each."),
    ignore: names.optional().describe("Alerts to leave out: regular expressions of their names."),
  })
  .superRefine(needsAddress("alertmanager", ["host"]))
  .transform(({ host, ...spec }) => flattenAuthentication({ ...spec, url: spec.url ?? host }))
  .describe("Alerts of an Alertmanager.");

export type AlertmanagerSpec = z.output<typeof alertmanagerSpec>;
