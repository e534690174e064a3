import { once } from "node:events";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { StartupError } from "@mainstay/embedded-postgres";
import { ask, origin, rememberLogin, RefusedError, type ServerFlags } from "./server-access.ts";

interface LoginOptions extends ServerFlags {
  email?: string;
  password?: string;
  code?: string;
}

interface Flow {
  id: string;
  ui: {
    messages?: { text: string }[];
    nodes: { group: string; messages: { text: string }[] }[];
  };
}

/**
 * Signs in by the identity service's API flow, or with an access token, and remembers the session or token for the
 * other commands.
 */
export async function login(options: LoginOptions): Promise<void> {
  const server = origin(options.server ?? process.env.MAINSTAY_SERVER ?? "http://127.0.0.1:3100");
  const given = options.token ?? (options.email ? undefined : process.env.MAINSTAY_TOKEN);
  if (given) return await loginWithToken(server, given);
  if (!options.email)
    throw new StartupError("Say who you are: --email YOU, or --token with an access token.");
  const password =
    options.password ??
    (await askFor("Password: ", "No password was given. Type it, or pass it with --password."));
  const first = await step(server, {
    query: "",
    fields: () => ({ method: "password", identifier: options.email, password }),
  });
  const token = (await lacksSecondFactor(server, first))
    ? await secondStep(server, first, options.code)
    : first;
  rememberLogin({ server, token });
  console.log(`Signed in to ${server} as ${options.email}.`);
}

/** One login flow from beginning to end; a session token comes out. */
async function step(
  server: string,
  parts: { query: string; token?: string; fields(flow: Flow): object | Promise<object> },
): Promise<string> {
  const access = { server, ...(parts.token ? { token: parts.token } : {}) };
  const flow = await ask<Flow>(access, "GET", `/api/.ory/self-service/login/api${parts.query}`);
  const fields = await parts.fields(flow);
  try {
    const { session_token: token } = await ask<{ session_token: string }>(
      access,
      "POST",
      `/api/.ory/self-service/login?flow=${flow.id}`,
      fields,
    );
    return token;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const { ui } = error.body as Partial<Flow>;
    const said = [...(ui?.messages ?? []), ...(ui?.nodes ?? []).flatMap((node) => node.messages)];
    throw new StartupError(said[0]?.text ?? error.message);
  }
}

async function lacksSecondFactor(server: string, token: string): Promise<boolean> {
  try {
    await ask({ server, token }, "GET", "/api/.ory/sessions/whoami");
    return false;
  } catch (error) {
    if (error instanceof RefusedError && error.status === 403) return true;
    throw error;
  }
}

/** Shows a code as well: six digits are the app's, everything else is a backup code. */
function secondStep(server: string, token: string, given: string | undefined): Promise<string> {
  return step(server, {
    query: "?aal=aal2",
    token,
    async fields({ ui }) {
      if (!ui.nodes.some(({ group }) => group === "totp" || group === "lookup_secret"))
        throw new StartupError(
          "Your second factor is a security key, which works in the console only. Make an access token there and pass it with --token.",
        );
      const code =
        given ??
        (await askFor(
          "Code of your authenticator app, or backup code: ",
          "No code was given. Type it, or pass it with --code.",
        ));
      return /^[\d\s]+$/.test(code)
        ? { method: "totp", totp_code: code }
        : { method: "lookup_secret", lookup_secret: code };
    },
  });
}

async function loginWithToken(server: string, token: string): Promise<void> {
  const { payload } = await ask<{ payload: { user: { name: string } } }>(
    { server, token },
    "GET",
    "/api/auth/whoami",
  );
  rememberLogin({ server, token });
  console.log(`Signed in to ${server} as ${payload.user.name}.`);
}

async function askFor(question: string, missing: string): Promise<string> {
  process.stderr.write(question);
  // The typed characters are swallowed; readline would echo them.
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const prompt = createInterface({
    input: process.stdin,
    output: silent,
    terminal: process.stdin.isTTY,
  });
  const ended = once(prompt, "close").then(() => {
    throw new StartupError(missing);
  });
  try {
    return await Promise.race([prompt.question(""), ended]);
  } finally {
    ended.catch(() => undefined);
    prompt.close();
    process.stderr.write("\n");
  }
}
