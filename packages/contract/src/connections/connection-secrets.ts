import type { WrittenSpec } from "../documents/document-format.ts";
import type { JsonSchema } from "../documents/json-schema.ts";
import { addressTarget } from "../secrets/address-secrets.ts";
import { destinationOf } from "../secrets/destination.ts";
import { mapSecrets, type SecretPlace } from "../secrets/map-secrets.ts";
import { markName, secretPlaceholder } from "../secrets/marks.ts";
import { namesSecret } from "../secrets/secret-names.ts";
import { connectionType, fieldsOf } from "./connection-types.ts";
import { flatten } from "./flat.ts";

/** What stands for a stored secret in the columns of the table, beside the placeholder of all documents. */
export const columnPlaceholder = "***";

const whole: JsonSchema = { type: "string", writeOnly: true };
const address: JsonSchema = { type: "string", [markName]: "address" };
const readable: JsonSchema = { type: "string" };

/** An address among the values may hold a password, whatever its field is called. */
const ofText = (value: unknown): JsonSchema =>
  typeof value === "string" && value.includes("://") ? address : readable;

/** What of a row is secret: what its type says, and where that says nothing, what its names tell. */
function schemaOf(spec: WrittenSpec): JsonSchema {
  const known = new Map<string, boolean>(
    fieldsOf(String(spec.type)).map(({ key, secret }) => [key, secret]),
  );
  const of = (key: string, name: string, value: unknown): JsonSchema => {
    const isSecret = known.get(key) ?? namesSecret(name);
    return isSecret ? whole : ofText(value);
  };
  const properties = (spec.properties ?? {}) as Record<string, unknown>;
  return {
    type: "object",
    properties: {
      type: readable,
      insecure_tls: { type: "boolean" },
      url: known.get("url") === true ? whole : address,
      username: known.get("username") === true ? whole : ofText(spec.username),
      password: whole,
      certificate: whole,
      properties: {
        type: "object",
        properties: Object.fromEntries(
          Object.entries(properties).map(([name, value]) => [
            name,
            of(`properties.${name}`, name, value),
          ]),
        ),
      },
    },
  };
}

/**
 * Where a connection's secrets are sent. Another type is another service. What a template may put into the address
 * decides it as well.
 */
function destination(spec: WrittenSpec): string {
  const { type, url, username, properties = {} } = spec as Record<string, unknown>;
  const parts = [String(type), ...(spec.insecure_tls === true ? ["unverified"] : [])];
  const given = { ...(properties as Record<string, string>) };
  const isSecret = new Set<string>(
    fieldsOf(String(type)).flatMap(({ key, secret }) => (secret ? [key] : [])),
  );
  for (const name of Object.keys(given))
    if (isSecret.has(`properties.${name}`) || namesSecret(name)) delete given[name];
  if (connectionType(String(type))?.fixedService) return parts.join(" ");
  parts.push(destinationOf(given));
  if (typeof url === "string" && !isSecret.has("url")) parts.push(targetOf(url, String(username)));
  if (typeof username === "string" && username.includes("://")) parts.push(addressTarget(username));
  if (typeof url === "string" && /\{\{|\$\((?!\.?(username|password)\))/.test(url))
    parts.push(
      JSON.stringify(Object.entries(given).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      String(username),
    );
  return parts.filter((part) => part !== "").join(" ");
}

const senders =
  /^(mattermost|matrix|ntfy|opsgenie|rocketchat|zulip|teams|googlechat):\/\/([^/?#]*@)?([^/?#]*)/i;

/** Messages go to the host of their address; channel and topic say nothing of that. */
function targetOf(url: string, username: string): string {
  const sender = senders.exec(url);
  if (!sender) return addressTarget(url.replaceAll(/\$\(\.?username\)/g, () => username));
  const query = /\?(.*)$/s.exec(url)?.[1] ?? "";
  const placing = [...new URLSearchParams(query)].filter(([name]) =>
    /^(host|DisableTLS|Scheme)$/i.test(name),
  );
  return [sender[1], sender[3], ...placing.map((pair) => pair.join("="))].join(" ").toLowerCase();
}

/** The flat spec of a connection with every secret exchanged. */
export function mapConnectionSecrets(
  written: WrittenSpec,
  replace: (place: SecretPlace) => unknown,
): WrittenSpec {
  const spec = flatten(written) as unknown as WrittenSpec;
  const to = destination(spec);
  return mapSecrets(
    {
      schema: schemaOf(spec),
      value: spec,
      destinationAt: (keys) => (keys.length === 0 ? to : undefined),
    },
    (place) => {
      // The way to log in to a mail server, by its name: `Auth=Plain`.
      if (place.path === "url#auth" && spec.type === "email") return place.value;
      const isKept = place.value === columnPlaceholder;
      return replace(isKept ? { ...place, value: secretPlaceholder } : place);
    },
  ) as WrittenSpec;
}
