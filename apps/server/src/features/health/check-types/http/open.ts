import { request as requestHttp } from "node:http";
import type { Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { isIP } from "node:net";
import type { Connector } from "#platform/outbound/connector.ts";
import { describeNetworkError, placeName } from "#platform/outbound/network-errors.ts";
import { splitUserInfo } from "./target.ts";

export interface TlsOptions {
  insecureSkipVerify?: boolean;
  ca?: string;
  cert?: string;
  key?: string;
}

/** The port of an address, spelled out or the scheme's own. */
export const portOf = (url: URL): number =>
  Number(url.port || (url.protocol === "https:" ? 443 : 80));
/** The host of an address as sockets want it: IPv6 without brackets. */
export const hostOf = (url: URL): string => url.hostname.replace(/^\[|\]$/g, "");
const placeOf = (url: URL) => placeName(hostOf(url), portOf(url));

/** Speaks TLS over an open socket and judges the certificate, so that the message can say what is wrong with it. */
export function secure(
  socket: Socket,
  {
    host,
    place,
    tls,
    signal,
  }: { host: string; place: string; tls: TlsOptions; signal: AbortSignal },
): Promise<TLSSocket> {
  return new Promise((fulfil, reject) => {
    let secured: TLSSocket;
    try {
      secured = connectTls({
        socket,
        host,
        ...(isIP(host) === 0 && { servername: host }),
        ALPNProtocols: ["http/1.1"],
        rejectUnauthorized: false,
        ...(tls.ca && { ca: tls.ca }),
        ...(tls.cert && { cert: tls.cert }),
        ...(tls.key && { key: tls.key }),
      });
    } catch (error) {
      socket.destroy();
      reject(
        new Error(`the TLS settings cannot be used: ${(error as Error).message}`, { cause: error }),
      );
      return;
    }
    const settle = () => signal.removeEventListener("abort", stop);
    const fail = (error: Error) => {
      settle();
      secured.destroy();
      reject(error);
    };
    const stop = () => fail(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    secured.on("error", (error) => fail(describeNetworkError(error, place)));
    secured.once("close", () =>
      fail(new Error(`connection closed by ${place} during the TLS handshake`)),
    );
    secured.once("secureConnect", () => {
      const code: unknown = secured.authorizationError;
      if (!secured.authorized && !tls.insecureSkipVerify) {
        fail(
          describeNetworkError(
            { code: typeof code === "string" ? code : (code as { code?: string }).code },
            place,
          ),
        );
        return;
      }
      settle();
      fulfil(secured);
    });
  });
}

interface Route {
  url: URL;
  proxy?: string;
  tls: TlsOptions;
  signal: AbortSignal;
  connector: Connector;
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
      ? await secure(plain, { host: hostOf(bare), place, tls: {}, signal })
      : plain;
  return new Promise((fulfil, reject) => {
    const request = requestHttp({
      method: "CONNECT",
      path: placeOf(url),
      host: hostOf(bare),
      headers: {
        host: placeOf(url),
        ...(credentials && {
          "proxy-authorization": `Basic ${Buffer.from(`${credentials.username}:${credentials.password}`).toString("base64")}`,
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
  const { url, proxy, tls, signal, connector } = route;
  const host = hostOf(url);
  const socket = proxy
    ? await tunnel(route, new URL(proxy))
    : await connector.tcp({ host, port: portOf(url) }, { signal });
  if (url.protocol !== "https:") return socket;
  return secure(socket, { host, place: placeOf(url), tls, signal });
}

/** When the certificate on the other side stops being valid. */
export function certificateEnds(socket: Socket | undefined): Date | undefined {
  const certificate = (socket as Partial<TLSSocket> | undefined)?.getPeerCertificate?.();
  if (!certificate?.valid_to) return undefined;
  return new Date(certificate.valid_to);
}
