import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { StartupError } from "@mainstay/embedded-postgres";
import { ask, origin, rememberLogin, RefusedError, type ServerFlags } from "./server-access.ts";

interface LoginOptions extends ServerFlags {
  email: string;
  password?: string;
}

interface Flow {
  id: string;
  ui: { messages?: { text: string }[] };
}

/** Signs in by the identity service's API flow and remembers the session for the other commands. */
export async function login(options: LoginOptions): Promise<void> {
  const server = origin(options.server ?? process.env.MAINSTAY_SERVER ?? "http://127.0.0.1:3100");
  const password = options.password ?? (await askForPassword());
  const flow = await ask<Flow>({ server }, "GET", "/api/.ory/self-service/login/api");
  try {
    const { session_token: token } = await ask<{ session_token: string }>(
      { server },
      "POST",
      `/api/.ory/self-service/login?flow=${flow.id}`,
      { method: "password", identifier: options.email, password },
    );
    rememberLogin({ server, token });
    console.log(`Signed in to ${server} as ${options.email}.`);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const { ui } = error.body as Partial<Flow>;
    throw new StartupError(ui?.messages?.[0]?.text ?? error.message);
  }
}

async function askForPassword(): Promise<string> {
  process.stderr.write("Password: ");
  // The typed characters are swallowed; readline would echo them.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({
    input: process.stdin,
    output: silent,
    terminal: process.stdin.isTTY,
  });
  const ended = once(prompt, "close").then(() => {
    throw new StartupError("No password was given. Type it, or pass it with --password.");
  });
  try {
    return await Promise.race([prompt.question(""), ended]);
  } finally {
    ended.catch(() => undefined);
    prompt.close();
    process.stderr.write("\n");
  }
}
