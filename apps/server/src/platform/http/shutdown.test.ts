import { connect } from "node:net";
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
