import { z } from "zod";
import type { DocumentFormat, WrittenSpec } from "../documents/document-format.ts";
import type { Finding } from "../documents/findings.ts";
import { documentEnvelope } from "../documents/metadata.ts";
import { findWrongReferences } from "../documents/value-references.ts";
import { blocks } from "./blocks.ts";
import { mapConnectionSecrets } from "./connection-secrets.ts";
import { connectionTypes, connectionType } from "./connection-types.ts";
import { blockKeysIn, flatten } from "./flat.ts";

export const connectionApiVersion = "mission-control.flanksource.com/v1";

const scalar = z.union([z.string(), z.number(), z.boolean()]);
const valued = z
  .union(
    [scalar, z.looseObject({ value: scalar.optional(), valueFrom: z.looseObject({}).optional() })],
    {
      error: "Expected a text, or an object with value or valueFrom.",
    },
  )
  .nullable()
  .optional();

const blockShape = Object.fromEntries(
  Object.entries(blocks).map(([key, { type }]) => [
    key,
    z
      .looseObject({})
      .nullable()
      .optional()
      .describe(connectionType(type)?.help ?? ""),
  ]),
);

export const connectionSpec = z.looseObject({
  type: z.string().max(64).optional().describe("What it leads to, where no block says it."),
  url: valued.describe("Address. A password in it is secret."),
  username: valued.describe("User name."),
  password: valued.describe("Password."),
  certificate: valued.describe("Certificate, key file or kubeconfig."),
  port: scalar.nullable().optional().describe("Port, where the address has none."),
  insecure_tls: z
    .union([z.boolean(), z.literal(["true", "false"])])
    .nullable()
    .optional()
    .describe("Accept any certificate."),
  properties: z
    .record(z.string().max(253), scalar.nullable(), {
      error: "Properties are a mapping of names to texts.",
    })
    .nullable()
    .optional()
    .describe("Further values, by the type."),
  ...blockShape,
});

export type ConnectionSpec = z.output<typeof connectionSpec>;

const limits = {
  url: 8_192,
  username: 4_096,
  password: 65_536,
  certificate: 262_144,
  property: 65_536,
  properties: 200,
};

const known = connectionTypes.map(({ type }) => type).toSorted();

function judge({ source }: { source: WrittenSpec }): Finding[] {
  const found = findWrongReferences(source, ["spec"]);
  const refuse = (path: string, message: string) =>
    found.push({ severity: "error", path: ["spec", ...path.split(".")], message });
  const keys = blockKeysIn(source);
  if (keys.length > 1)
    refuse(keys[1]!, `There is "${keys[0]}" already: a connection has one block.`);
  const values = flatten(source);
  const { type } = values;
  const properties: Record<string, string> = { ...values.properties };
  if (type === "") refuse("type", '"type" is missing: say what the connection leads to.');
  else if (!connectionType(type))
    refuse(
      "type",
      `"${type.slice(0, 64)}" is no type of connection. Known are ${known.join(", ")}.`,
    );
  const place = (name: string) => (keys[0] === undefined ? name : keys[0]);
  const judgeText = (name: string, text: string, most: number) => {
    if (text.length > most) refuse(place(name), `Expected at most ${most} characters.`);
  };
  for (const name of ["url", "username", "password", "certificate"] as const)
    if (typeof values[name] === "string") judgeText(name, values[name], limits[name]);
  for (const [name, text] of Object.entries(properties))
    judgeText(`properties.${name}`, text, limits.property);
  if (Object.keys(properties).length > limits.properties)
    refuse(place("properties"), `Expected at most ${limits.properties} properties.`);
  const { port } = properties;
  if (
    port !== undefined &&
    port !== "" &&
    !/[$:{]/.test(port) &&
    !(Number(port) >= 1 && Number(port) <= 65_535)
  )
    refuse(
      place("properties.port"),
      `"${port.slice(0, 20)}" is no port: expected a number from 1 to 65535.`,
    );
  return found;
}

export const connectionFormat: DocumentFormat<ConnectionSpec> = {
  kind: "Connection",
  name: "connection",
  plural: "connections",
  apiVersions: [connectionApiVersion],
  resource: "connections",
  envelope: documentEnvelope({
    kind: "Connection",
    apiVersions: [connectionApiVersion],
    spec: connectionSpec.describe("What the connection leads to, and how one gets in."),
  }),
  spec: connectionSpec,
  judge,
  mapSecrets: mapConnectionSecrets,
  listed: {
    TYPE: ({ spec }) => flatten(spec).type,
  },
};
