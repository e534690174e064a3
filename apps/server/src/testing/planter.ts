import { randomBytes } from "node:crypto";
import { type Listening, listenHttp } from "@mainstay/testkit/servers/index.ts";

type Json = Record<string, unknown>;

export interface Planter {
  /** A token that stands nowhere by chance; `where` says where it was put. */
  plant(where: string): string;
  /** Tokens, and where they were put. */
  planted: ReadonlyMap<string, string>;
  /** What was said, and where: searched by `leaks`. */
  hear(where: string, text: string): void;
  said: readonly { where: string; text: string }[];
  /** What was said where of which token, as it is or in base64. */
  leaks(): string[];
  /** Something that a schema accepts, with a token wherever it marks a secret; nothing else but what it requires. */
  fill(schema: Json, where: string): unknown;
  /** Repeats what it is sent, in its words and in its headers, with this code. */
  echo: Listening;
  close(): Promise<void>;
}

export const plainToken = /t0k3n[0-9a-f]{16}/g;
const base64 = /[A-Za-z0-9+/_-]{24,}/g;

const hasSecret = (schema: Json): boolean =>
  /"writeOnly":true|"x-secret":/.test(JSON.stringify(schema));

/** For tests: secrets that are put everywhere, and everything that is said, to be searched for them. */
export async function startPlanter({ code = 403 } = {}): Promise<Planter> {
  const said: { where: string; text: string }[] = [];
  const planted = new Map<string, string>();
  const echo = await listenHttp((request, response) => {
    const body = JSON.stringify({ message: JSON.stringify([request.url, request.headers]) });
    response.writeHead(code, { "x-echo": String(request.headers.authorization) }).end(body);
  });
  function plant(where: string): string {
    const token = `t0k3n${randomBytes(8).toString("hex")}`;
    planted.set(token, where);
    return token;
  }
  function leaksIn(text: string): string[] {
    const decoded = (text.match(base64) ?? []).map((run) =>
      Buffer.from(run, "base64").toString("latin1"),
    );
    return [text, ...decoded].flatMap((one) =>
      (one.match(plainToken) ?? []).flatMap((token) => planted.get(token) ?? []),
    );
  }
  function fill(schema: Json, where: string, depth = 0): unknown {
    const options = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
    if (schema["x-secret"] === "address") return `http://u:${plant(where)}@127.0.0.1:${echo.port}/`;
    if (schema.writeOnly === true) return { value: plant(where) };
    if (options) {
      const best = options.find((one) => one.type === "object" && hasSecret(one)) ?? options[0]!;
      return fill(best, where, depth);
    }
    switch (schema.type) {
      case "object": {
        const fields = (schema.properties ?? {}) as Record<string, Json>;
        const required = (schema.required ?? []) as string[];
        const wanted = Object.entries(fields).filter(
          ([key, field]) => required.includes(key) || (depth < 4 && hasSecret(field)),
        );
        return Object.fromEntries(
          wanted.map(([key, field]) => [key, fill(field, `${where}.${key}`, depth + 1)]),
        );
      }
      case "array":
        return [fill((schema.items ?? {}) as Json, `${where}[]`, depth + 1)];
      case "integer":
      case "number":
        return Math.max(1, Number(schema.minimum ?? 1));
      case "boolean":
        return false;
      default:
        return (schema.enum as unknown[] | undefined)?.[0] ?? schema.const ?? "plain";
    }
  }
  return {
    plant,
    planted,
    hear: (where, text) => void said.push({ where, text }),
    said,
    leaks: () => said.flatMap(({ where, text }) => leaksIn(text).map((one) => `${where}: ${one}`)),
    fill,
    echo,
    close: () => echo.close(),
  };
}
