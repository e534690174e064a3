import { hash } from "node:crypto";
import { type DataApi, openApiDocument, usableBy } from "@mainstay/data-api";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Resource } from "@mainstay/contract";
import { serverVersion } from "../../version.ts";
import type { Ctx } from "../context.ts";
import type { WriteContext } from "../table.ts";

/** Answers with the OpenAPI document of the rows and functions that the asker may use. */
export async function sendDataApiDocument(
  api: DataApi<WriteContext>,
  asker: Ctx,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  await api.ready();
  const schema = api.schema();
  if (!schema) throw new Error("The data API's tables are not known after loading them.");
  const place = {
    version: serverVersion,
    host: request.host,
    basePath: "/api/db",
    scheme: request.protocol,
    secured: true,
  };
  const can = (resource: string, action: "read" | "write") =>
    asker.can(resource as Resource, action);
  const document = JSON.stringify(openApiDocument(schema, place, usableBy(schema, can)));
  const etag = `W/"${hash("sha1", document, "base64url")}"`;
  reply.header("etag", etag).header("cache-control", "private, no-cache");
  if (request.headers["if-none-match"] === etag) return reply.status(304).send();
  return reply.type("application/openapi+json; charset=utf-8").send(document);
}
