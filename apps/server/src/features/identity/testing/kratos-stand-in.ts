import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import type { IdentityServer } from "./identity-server.ts";

/**
 * The built-in service, made to build addresses as a Kratos does that lies behind a proxy: from the host that the proxy
 * says was typed, without the path under which the proxy shows it, of which it knows nothing. It refuses to return to
 * that path, as Kratos does where the path is not on its list.
 */
export async function startKratosStandIn(
  builtIn: IdentityServer,
): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((request, response) => {
    const headers = request.headers as Record<string, string>;
    const here = `${headers["x-forwarded-proto"]}://${headers["x-forwarded-host"]}`;
    const address = request.url!;
    const answer = async () => {
      const body = await text(request);
      if (/api(\/|%(25)*2F)\.ory/.test(address)) {
        response.writeHead(400, { "content-type": "application/json" });
        return response.end('{"error":{"id":"self_service_flow_return_to_forbidden","code":400}}');
      }
      const { host: _host, connection: _connection, ...sent } = headers;
      const path = replaceSpellings(
        address,
        `${here}/self-service/`,
        `${here}${MOUNT}self-service/`,
      );
      const reply = await fetch(builtIn.url + MOUNT + path.slice(1), {
        method: request.method!,
        redirect: "manual",
        headers: sent,
        ...(body === "" ? {} : { body }),
      });
      const told = (said: string) =>
        replaceSpellings(
          // Kratos tells whole addresses where the built-in service tells paths.
          said.replaceAll(`=${encodeURIComponent(MOUNT)}`, `=${encodeURIComponent(`${here}/`)}`),
          here + MOUNT,
          `${here}/`,
        );
      const location = reply.headers.get("location");
      response.writeHead(reply.status, {
        "content-type": reply.headers.get("content-type") ?? "text/plain",
        "set-cookie": reply.headers.getSetCookie(),
        ...(location === null ? {} : { location: told(location) }),
      });
      return response.end(told(await reply.text()));
    };
    answer().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const MOUNT = "/api/.ory/";

/** As it is, and as a parameter, and as a parameter of a parameter. */
function replaceSpellings(said: string, from: string, to: string): string {
  let replaced = said;
  for (let [spelled, other] = [from, to], depth = 0; depth < 3; depth += 1) {
    replaced = replaced.replaceAll(spelled, other);
    [spelled, other] = [encodeURIComponent(spelled), encodeURIComponent(other)];
  }
  return replaced;
}
