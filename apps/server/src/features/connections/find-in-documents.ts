import { connectionFormat, flattenConnection, type ParsedDocument } from "@mainstay/contract";
import type { Evaluator } from "@mainstay/scripting";
import type { ValueSources } from "#platform/value-sources/value-sources.ts";
import { type Connection, type ConnectionFinder, ConnectionMissing } from "./connection.ts";
import { hydrate } from "./hydrate.ts";
import { type Meaning, parseReference } from "./parse-reference.ts";

/** Connections without a server: those that the same documents define. */
export function findInDocuments(
  documents: readonly ParsedDocument[],
  { values, evaluator }: { values: ValueSources; evaluator: Pick<Evaluator, "evaluate"> },
): ConnectionFinder {
  const stored = documents
    .filter(({ format }) => format.kind === connectionFormat.kind)
    .map(({ name, namespace, uid, source }): Connection => {
      const { type, url, username, password, certificate, properties, insecure_tls } =
        flattenConnection(source) as Partial<Connection> & { insecure_tls?: boolean };
      return {
        ...(uid !== undefined && { id: uid }),
        name,
        namespace,
        type: type ?? "",
        ...(url !== undefined && { url }),
        ...(username !== undefined && { username }),
        ...(password !== undefined && { password }),
        ...(certificate !== undefined && { certificate }),
        insecureTls: insecure_tls === true,
        properties: properties ?? {},
      };
    });
  return {
    async find(reference, { namespace, signal }) {
      for (const meaning of parseReference(reference, namespace)) {
        const found = stored.find((connection) => isMeant(connection, meaning));
        if (!found) continue;
        const asker = { namespace: found.namespace, ...(signal && { signal }) };
        return (await hydrate(found, { values, evaluator }, asker)).connection;
      }
      throw new ConnectionMissing(
        `None of these documents is the connection "${reference.slice(0, 200)}", and others are known to a server only.`,
      );
    },
  };
}

function isMeant({ id, type, namespace, name }: Connection, meaning: Meaning): boolean {
  switch (meaning.by) {
    case "id":
      return id === meaning.id;
    case "name":
      return namespace === meaning.namespace && name === meaning.name;
    case "type":
      return type === meaning.type && namespace === meaning.namespace && name === meaning.name;
    case "address":
      return false;
  }
}
