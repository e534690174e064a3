import { createHash } from "node:crypto";
import type { Client } from "ssh2";
import type { Connector } from "../connector.ts";
import { placeName } from "../network-errors.ts";

/** Signing in over SSH, through the `ssh2` library over a socket of ours; loaded when first asked for. */

export interface SshTarget {
  host: string;
  port: number;
  username: string;
  password?: string | undefined;
  /** PEM. */
  privateKey?: string | undefined;
  /** Base64 of the server's key, or SHA256:…; any key is taken without it. */
  hostKey?: string | undefined;
}

export interface SshOptions {
  signal: AbortSignal;
  connector: Connector;
}

export interface Ssh {
  readonly place: string;
  readonly client: Client;
  close(): void;
}

/** Whether the key that a server shows is the one that is expected. */
function isExpected(key: Buffer, expected: string): boolean {
  const wanted = expected.trim().split(/\s+/);
  const shown = key.toString("base64").replace(/=+$/, "");
  const print = `SHA256:${createHash("sha256").update(key).digest("base64").replace(/=+$/, "")}`;
  return wanted.some((one) => one.replace(/=+$/, "") === shown || one.replace(/=+$/, "") === print);
}

function explain(error: Error & { level?: string }, target: SshTarget, place: string): Error {
  const say = (sentence: string) => new Error(sentence, { cause: error });
  if (error.level === "client-authentication")
    return say(`${place} did not let ${target.username} sign in`);
  if (/host denied|verification failed/i.test(error.message))
    return say(`${place} shows another host key than the one that is expected`);
  if (/Cannot parse privateKey|Encrypted/i.test(error.message))
    return say("the private key cannot be read");
  if (
    /handshake|protocol|ident|expected|version|header|greeting/i.test(
      `${error.level} ${error.message}`,
    )
  )
    return say(`${place} does not speak SSH as expected`);
  return say(`the connection to ${place} failed`);
}

/** A connection of somebody who is signed in; an abort while that is done ends it. */
export async function openSsh(target: SshTarget, { signal, connector }: SshOptions): Promise<Ssh> {
  const { Client: SshClient } = await import("ssh2").then((module) => module.default ?? module);
  const place = placeName(target.host, target.port);
  const socket = await connector.tcp({ host: target.host, port: target.port }, { signal });
  const client: Client = new SshClient();
  const close = () => {
    client.on("error", () => undefined);
    socket.on("error", () => undefined);
    client.end();
    socket.destroy();
  };
  await new Promise<void>((fulfil, reject) => {
    const stop = () => fail(signal.reason as Error);
    const settle = () => signal.removeEventListener("abort", stop);
    const fail = (error: Error) => {
      settle();
      close();
      reject(signal.aborted ? (signal.reason as Error) : error);
    };
    signal.addEventListener("abort", stop, { once: true });
    client.on("error", (error) => fail(explain(error, target, place)));
    client.once("close", () => fail(new Error(`${place} closed the connection`)));
    // Some servers ask for the password in a dialog.
    client.on("keyboard-interactive", (_name, _text, _language, prompts, answer) =>
      answer(prompts.map(() => target.password ?? "")),
    );
    client.once("ready", () => {
      settle();
      fulfil();
    });
    try {
      client.connect({
        sock: socket,
        username: target.username,
        ...(target.password !== undefined && { password: target.password }),
        ...(target.privateKey && { privateKey: target.privateKey }),
        tryKeyboard: target.password !== undefined,
        // Time is kept by the signal alone.
        readyTimeout: 0,
        ...(target.hostKey && {
          hostVerifier: (key: Buffer) => isExpected(key, target.hostKey ?? ""),
        }),
      });
    } catch (error) {
      fail(explain(error as Error, target, place));
    }
  });
  return { place, client, close };
}

/** Something that is asked of the server; it ends when the connection or the time does. */
export const askSsh = <T>(
  { client, place }: Ssh,
  signal: AbortSignal,
  work: (done: (error: Error | undefined | null, value: T) => void) => void,
): Promise<T> =>
  new Promise<T>((fulfil, reject) => {
    signal.throwIfAborted();
    const settle = () => {
      signal.removeEventListener("abort", stop);
      client.removeListener("close", lost);
    };
    const stop = () => {
      settle();
      reject(signal.reason as Error);
    };
    const lost = () => {
      settle();
      reject(new Error(`${place} closed the connection`));
    };
    signal.addEventListener("abort", stop, { once: true });
    client.once("close", lost);
    work((error, value) => {
      settle();
      if (error) reject(error);
      else fulfil(value);
    });
  });
