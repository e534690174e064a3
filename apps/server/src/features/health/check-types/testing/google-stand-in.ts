import { createVerify, generateKeyPairSync } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { type Listening, listenHttp } from "@mainstay/testkit/servers/index.ts";

/** Stands for Google's token service, Resource Manager, Cloud Storage and Cloud SQL, as their public references describe them. */
export interface GoogleStandIn {
  endpoint: string;
  /** The JSON of a service account's key that it knows. */
  credentials: string;
  /** Requests that were let in. */
  asked: string[];
  /** What the next request is answered with, whoever asks. */
  failNext(code: number, body: object): void;
  close(): Promise<void>;
}

interface Objects {
  [bucket: string]: { name: string; size: string; updated: string; content?: string }[];
}

const token = "ya29.a-token-of-the-stand-in";

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of request) text += String(chunk);
  return text;
}

export async function startGoogle({
  buckets = {},
  backups = [],
  pageSize = 2,
}: {
  buckets?: Objects;
  backups?: object[];
  pageSize?: number;
}): Promise<GoogleStandIn> {
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const email = "probe@example-project.iam.gserviceaccount.com";
  const asked: string[] = [];
  let failure: { code: number; body: object } | undefined;
  let at: Listening | undefined;
  const endpoint = () => `http://127.0.0.1:${at!.port}`;

  const isSigned = (form: URLSearchParams): boolean => {
    const [head = "", claims = "", signature = ""] = (form.get("assertion") ?? "").split(".");
    const said = JSON.parse(Buffer.from(claims, "base64url").toString()) as Record<string, unknown>;
    return (
      form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer" &&
      said.iss === email &&
      said.aud === `${endpoint()}/token` &&
      Number(said.exp) > Date.now() / 1000 &&
      createVerify("RSA-SHA256")
        .update(`${head}.${claims}`)
        .verify(publicKey, Buffer.from(signature, "base64url"))
    );
  };

  at = await listenHttp((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? "/", endpoint());
      const answer = (code: number, body: object) =>
        response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(body));
      if (url.pathname === "/token") {
        const isGood = isSigned(new URLSearchParams(await bodyOf(request)));
        return isGood
          ? answer(200, { access_token: token, expires_in: 3599, token_type: "Bearer" })
          : answer(400, { error: "invalid_grant", error_description: "Invalid JWT Signature." });
      }
      if (failure) {
        const { code, body } = failure;
        failure = undefined;
        return answer(code, body);
      }
      if (request.headers.authorization !== `Bearer ${token}`)
        return answer(401, { error: { code: 401, message: "Anonymous caller has no access." } });
      asked.push(`${url.pathname}${url.search}`);
      const [, bucket] = /^\/storage\/v1\/b\/([^/]+)\/o$/.exec(url.pathname) ?? [];
      if (bucket !== undefined) {
        const all = buckets[decodeURIComponent(bucket)];
        if (!all)
          return answer(404, { error: { code: 404, message: "The bucket does not exist." } });
        const start = Number(url.searchParams.get("pageToken") ?? 0);
        const found = all.filter(({ name }) =>
          name.startsWith(url.searchParams.get("prefix") ?? ""),
        );
        const end = start + pageSize;
        return answer(200, {
          ...(found.length > start && { items: found.slice(start, end) }),
          ...(found.length > end && { nextPageToken: String(end) }),
        });
      }
      const [, holder, key] = /^\/storage\/v1\/b\/([^/]+)\/o\/([^/]+)$/.exec(url.pathname) ?? [];
      if (holder !== undefined && url.searchParams.get("alt") === "media") {
        const found = buckets[holder]?.find(({ name }) => name === decodeURIComponent(key!));
        if (found) return response.writeHead(200).end(found.content);
      }
      const [, about] = /^\/storage\/v1\/b\/([^/]+)$/.exec(url.pathname) ?? [];
      if (about !== undefined && buckets[about])
        return answer(200, { kind: "storage#bucket", name: about });
      if (url.pathname === "/v1/projects")
        return answer(200, { projects: [{ projectId: "shop", lifecycleState: "ACTIVE" }] });
      if (url.pathname === "/sql/v1beta4/projects/shop/instances/orders/backupRuns")
        return answer(200, { kind: "sql#backupRunsList", items: backups });
      return answer(404, { error: { code: 404, message: "Not Found" } });
    })();
  });
  return {
    endpoint: endpoint(),
    credentials: JSON.stringify({
      type: "service_account",
      project_id: "shop",
      private_key_id: "1",
      private_key: privateKey.export({ type: "pkcs8", format: "pem" }),
      client_email: email,
      token_uri: `${endpoint()}/token`,
    }),
    asked,
    failNext: (code, body) => (failure = { code, body }),
    close: () => at.close(),
  };
}
