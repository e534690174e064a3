import { splitHostPort } from "@mainstay/contract";
import { ldapClient } from "#platform/outbound/ldap/ldap-client.ts";
import { placeName } from "#platform/outbound/network-errors.ts";
import { hostOf } from "#platform/outbound/http/address.ts";
import { secure } from "#platform/outbound/tls.ts";
import type { Connection } from "../connection.ts";
import type { Probe } from "./probe.ts";

const wrongPassword = 49;

function placeOf({ url = "" }: Connection): { host: string; port: number; tls: boolean } {
  if (!url.includes("://")) {
    const pair =
      splitHostPort(url) ?? (/^[^\s:/@]+$/.test(url) ? { host: url, port: 389 } : undefined);
    if (pair) return { ...pair, tls: false };
  } else if (/^ldaps?:/i.test(url) && URL.canParse(url)) {
    const address = new URL(url);
    const tls = address.protocol === "ldaps:";
    return { host: hostOf(address), port: Number(address.port || (tls ? 636 : 389)), tls };
  }
  throw new Error("The address is none of a directory, such as ldap://host:389.");
}

/** Logs in to the directory. */
export const ldap: Probe = async ({ connection, connector, signal }) => {
  const { username = "", password = "", insecureTls } = connection;
  if (username !== "" && password === "") throw new Error("The connection has no password.");
  const { host, port, tls } = placeOf(connection);
  const place = placeName(host, port);
  const plain = await connector.tcp({ host, port }, { signal });
  try {
    const socket = tls
      ? await secure(plain, { host, place, tls: { insecureSkipVerify: insecureTls }, signal })
      : plain;
    const { code, text } = await ldapClient(socket, { place, signal }).bind(username, password);
    if (code === wrongPassword)
      throw new Error(`${place} refused the login: wrong name or password.`);
    if (code !== 0) throw new Error(`${place} refused the login: LDAP result ${code} ${text}`);
  } finally {
    plain.on("error", () => undefined);
    plain.destroy();
  }
};
