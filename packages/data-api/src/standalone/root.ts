import type { IncomingMessage } from "node:http";
import type { DataApi } from "../engine.ts";
import { ApiError } from "../errors.ts";
import type { DataApiResponse } from "../respond.ts";
import type { Identity } from "./claims.ts";
import type { ServeOptions } from "./options.ts";
import type { Session } from "./transaction.ts";

interface RootRequest {
  request: IncomingMessage;
  query: string;
  body: Buffer;
  schema: string;
  api: DataApi<undefined>;
  session: Session;
  identity: Identity;
}

/** Answers at `/`: what may be used, or what a function of the database says. */
export async function answerRoot(
  { request, query, body, api, session }: RootRequest,
  options: ServeOptions,
): Promise<DataApiResponse> {
  const { method = "GET", headers } = request;
  if (method === "OPTIONS")
    return { status: 200, headers: { allow: "OPTIONS,GET,HEAD" }, body: "" };
  if (method !== "GET" && method !== "HEAD")
    throw new ApiError(405, "PGRST117", `Unsupported HTTP method: ${method}`);
  if (options.dbRootSpec !== undefined) {
    const name = options.dbRootSpec.split(".").at(-1) ?? "";
    return api.handle({
      method,
      path: `rpc/${name}`,
      query,
      headers,
      body,
      can: () => true,
      read: session.read,
      write: session.write,
    });
  }
  throw new ApiError(404, "PGRST126", "Root endpoint metadata is disabled");
}
