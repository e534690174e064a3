import { request as requestHttp } from "node:http";
import { isIP, type Socket } from "node:net";
import type { Connector } from "../connector.ts";
import { describeNetworkError } from "../network-errors.ts";
import { secure, type TlsOptions } from "../tls.ts";
import { hostOf, placeOf, portOf, splitUserInfo } from "./address.ts";
import { authorization } from "./authorization.ts";
import type { PhaseClock } from "./phases.ts";

const protocols = ["http/1.1"];

/** A way to the target of an address. */
export interface Route {
  url: URL;
  proxy?: string | undefined;
  tls?: TlsOptions | undefined;
  signal: AbortSignal;
  connector: Connector;
  phases?: PhaseClock | undefined;
}

/** Judges what a proxy is asked to connect to, as far as it can be known here. */
async function judgeBehindProxy({ url, signal, connector }: Route): Promise<void> {
  const host = hostOf(url);
  const target = { host, port: portOf(url) };
  if (isIP(host)) return connector.judge(target, { signal });
  try {
    await connector.judge(target, { signal });
  } catch (error) {
    // A name that only the proxy can resolve is the proxy's to judge.
    if ((error as Error).message.includes("address policy")) throw error;
  }
}

/** Asks a proxy for a tunnel to the target. */
async function tunnel(route: Route, proxy: URL): Promise<Socket> {
  const { url, signal, connector } = route;
  await judgeBehindProxy(route);
  const { url: bare, credentials } = splitUserInfo(proxy);
  const place = placeOf(bare);
  const plain = await connector.tcp({ host: hostOf(bare), port: portOf(bare) }, { signal });
  const socket =
    bare.protocol === "https:"
      ? await secure(plain, { host: hostOf(bare), place, protocols, signal })
      : plain;
  return new Promise((fulfil, reject) => {
    const request = requestHttp({
      method: "CONNECT",
      path: placeOf(url),
      host: hostOf(bare),
      headers: {
        host: placeOf(url),
        ...(credentials && {
          "proxy-authorization": authorization({ kind: "basic", ...credentials }),
        }),
      },
      createConnection: () => socket,
      signal,
    });
    const refuse = (code: number | undefined) => {
      socket.destroy();
      reject(
        new Error(
          `the proxy ${place} answered ${code ?? "nothing"} when asked for ${placeOf(url)}`,
        ),
      );
    };
    request.once("connect", (response, connected) => {
      if (response.statusCode === 200) fulfil(connected);
      else refuse(response.statusCode);
    });
    request.once("response", (response) => refuse(response.statusCode));
    request.once("error", (error) => {
      socket.destroy();
      reject(
        signal.aborted
          ? (signal.reason as Error)
          : describeNetworkError(error, `the proxy ${place}`),
      );
    });
    request.end();
  });
}

/** A socket over which the target of an address speaks HTTP. */
export async function open(route: Route): Promise<Socket> {
  const { url, proxy, tls, signal, connector, phases } = route;
  const host = hostOf(url);
  // What a proxy has to look up is part of its answer.
  phases?.enter(proxy ? "connect" : "dns");
  const onFound = () => phases?.enter("connect");
  const socket = proxy
    ? await tunnel(route, new URL(proxy))
    : await connector.tcp({ host, port: portOf(url) }, { signal, onFound });
  phases?.leave();
  if (url.protocol !== "https:") return socket;
  phases?.enter("tls");
  const secured = await secure(socket, { host, place: placeOf(url), tls, protocols, signal });
  phases?.leave();
  return secured;
}
