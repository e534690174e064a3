import { hostOf } from "#platform/outbound/http/address.ts";
import type { Probe } from "./probe.ts";

/** Greets the mail server and logs in; nothing is sent. */
export const email: Probe = async ({ connection, connector, signal }) => {
  const { properties, username, password, insecureTls, url } = connection;
  const address = url && URL.canParse(url) ? new URL(url) : undefined;
  const host = properties.host || (address ? hostOf(address) : "");
  const port = Number(properties.port || address?.port || 587);
  if (host === "") throw new Error("The connection names no mail server.");
  const encryption = properties.encryptionMethod || "Auto";
  const secure = encryption === "ImplicitTLS" || (encryption === "Auto" && port === 465);
  const { createTransport } = await import("nodemailer");
  const socket = await connector.tcp({ host, port }, { signal });
  const transport = createTransport({
    host,
    port,
    // The socket is ours, which the address policy has judged.
    getSocket: (_options, done) => done(null, { connection: socket }),
    secure,
    ignoreTLS: encryption === "None",
    requireTLS: encryption === "ExplicitTLS",
    tls: { rejectUnauthorized: !insecureTls, servername: host },
    ...(username && properties.authMethod !== "None"
      ? { auth: { user: username, pass: password ?? "" } }
      : {}),
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const stop = () => socket.destroy();
  signal.addEventListener("abort", stop, { once: true });
  try {
    await transport.verify();
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    const said = error as Error & { code?: string; responseCode?: number };
    throw new Error(
      said.code === "EAUTH"
        ? `The mail server ${host}:${port} refused the login (${said.responseCode ?? "no code"}).`
        : `The mail server ${host}:${port} cannot be used: ${said.message}`,
      { cause: error },
    );
  } finally {
    signal.removeEventListener("abort", stop);
    transport.close();
    socket.destroy();
  }
};
