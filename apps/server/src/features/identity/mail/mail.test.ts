import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { sendMail } from "./mail.ts";

/** Greets, and then answers every line with one of an answer that has no end. */
const sockets: Socket[] = [];
const server = createServer((socket) => {
  sockets.push(socket);
  socket.on("error", () => undefined);
  socket.write("220 slow.example.org\r\n");
  socket.on("data", () => socket.write("250-still\r\n"));
});
beforeAll(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await once(server, "close");
});

test("a mail server that never comes to an end is left when the time is over", async () => {
  const stop = new AbortController();
  const { port } = server.address() as AddressInfo;
  const asked = once(server, "connection") as Promise<[Socket]>;
  const sending = sendMail(
    {
      config: { smtpUrl: `smtp://127.0.0.1:${port}`, mailFrom: "mainstay@example.org" },
      signal: stop.signal,
    },
    { to: "ada@example.org", subject: "Hello", text: ["Hello"] },
  );
  const failed = expect(sending).rejects.toMatchObject({ code: "EABORT" });
  const [socket] = await asked;
  await once(socket, "data");
  const left = once(socket, "close");
  stop.abort();
  await failed;
  await left;
});
