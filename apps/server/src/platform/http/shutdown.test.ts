import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { startHttpServer } from "./testing/http-server.ts";

test("a stop answers what is under way and refuses what is new", async () => {
  const stopping = await startHttpServer({
    routes: (http) =>
      http.get("/api/held", { access: "public" }, async () => {
        arrived.resolve();
        await going.promise;
        return { answered: true };
      }),
  });
  const arrived = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const socket = connect(stopping.port, "127.0.0.1");
  const answers = text(socket);
  socket.write("GET /api/held HTTP/1.1\r\nhost: x\r\n\r\n");
  await arrived.promise;
  const stopped = stopping.stop();
  await vi.waitFor(() => expect(stopping.server.app.server.listening).toBe(false));
  // On the connection that is still there; the port takes no new ones.
  socket.write("GET /api/_health HTTP/1.1\r\nhost: x\r\n\r\n");
  await expect(stopping.as().get("/api/_health")).rejects.toThrow();
  await vi.waitFor(() =>
    expect(stopping.logged).toContainEqual(
      expect.objectContaining({ msg: expect.stringContaining("stopping") }),
    ),
  );
  going.resolve();
  const [first, second] = (await answers).split(/(?=HTTP\/1\.1 )/);
  expect(first).toMatch(/^HTTP\/1\.1 200 [^]*\{"answered":true\}$/);
  expect(second).toMatch(
    /^HTTP\/1\.1 503 [^]*x-content-type-options: nosniff[^]*The server is stopping/,
  );
  await stopped;
});

test("nothing waits for connections on which nothing was asked", async () => {
  const stopping = await startHttpServer({ routes: () => {} });
  const opened = Promise.withResolvers<void>();
  let count = 0;
  stopping.server.app.server.on("connection", () => {
    count += 1;
    if (count === 2) opened.resolve();
  });
  // As a browser does ahead of time; and somebody who never comes to the end of the question.
  const [silent, slow] = [1, 2].map(() => connect(stopping.port, "127.0.0.1")) as [Socket, Socket];
  slow.write("GET /api/_health HTTP/1.1\r\nhost:");
  await opened.promise;
  const ended = [silent, slow].map((socket) => text(socket).catch(() => ""));
  await stopping.stop();
  expect(await Promise.all(ended)).toEqual(["", ""]);
});
