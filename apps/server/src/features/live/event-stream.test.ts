import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import Fastify from "fastify";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Actor, actorCan, type Ctx } from "#platform/context.ts";
import type { ChangeEvent, Changes } from "#platform/events/changes.ts";
import { table } from "#platform/table.ts";
import { testConfig } from "../../testing/app.ts";
import { createEventStream } from "./event-stream.ts";

/** A stream over a connection of its own, fed by hand. */
async function openStream() {
  const subscribers = new Set<(event: ChangeEvent) => void>();
  const changes: Changes = {
    subscribe(_since, deliver) {
      subscribers.add(deliver);
      return () => void subscribers.delete(deliver);
    },
    close: () => subscribers.clear(),
  };
  const actor: Actor = { kind: "anonymous", readOnly: true, resources: ["feature_flags"] };
  const ctx: Pick<Ctx, "actor" | "can" | "clock"> = {
    actor,
    clock: { now: () => new Date() },
    can: (resource, action) => actorCan(actor, testConfig(), resource, action),
  };
  const stream = createEventStream({
    changes,
    personal: [],
    tables: [table("properties", { read: "feature_flags" })],
    stopping: new AbortController().signal,
  });
  const app = Fastify();
  app.get("/", (request, reply) => stream(ctx as Ctx, request, reply));
  await app.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => app.close());
  const { port } = app.server.address() as AddressInfo;
  const [reply] = (await once(get({ host: "127.0.0.1", port }), "response")) as [IncomingMessage];
  onTestFinished(() => void reply.destroy());
  const tell = (value: string) => {
    const change = { table: "properties", ids: [value] };
    for (const deliver of subscribers) deliver({ id: "1-1", kind: "change", change });
  };
  return { reply, subscribers, tell };
}

const much = "x".repeat(100_000);

test("of a client that does not read little is kept, and its place is free again", async () => {
  const { reply, subscribers, tell } = await openStream();
  reply.on("error", () => undefined);
  for (let told = 0; told < 10; told += 1) tell(much);
  await vi.waitFor(() => expect(subscribers.size).toBe(0), 5_000);
});

test("a client that reads is told however much", async () => {
  const { reply, subscribers, tell } = await openStream();
  let heard = 0;
  reply.on("data", (chunk: Buffer) => (heard += chunk.length));
  for (let told = 1; told <= 10; told += 1) {
    tell(much);
    await vi.waitFor(() => expect(heard).toBeGreaterThan(told * much.length), 5_000);
  }
  expect(subscribers.size).toBe(1);
});
