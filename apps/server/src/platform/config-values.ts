import { isAbsolute } from "node:path";
import {
  grantableRoles,
  isDuration,
  isSize,
  parseDuration,
  parseSize,
  type Role,
  roles,
} from "@mainstay/contract";
import ipaddr from "ipaddr.js";
import pg from "pg";
import { z } from "zod";

/** The shapes that settings have. */

export const words = z
  .string()
  .default("")
  .transform((value) =>
    value
      .split(",")
      .map((item) => item.trim())
      .filter(Boolean),
  );
export const toggle = z
  .enum(["true", "false", "1", "0", "yes", "no"], { error: "must be true or false" })
  .default("false")
  .transform((value) => value === "true" || value === "1" || value === "yes");
export const whole = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, "must be a whole number")
    .transform(Number)
    .refine((value) => value >= min && value <= max, `must be between ${min} and ${max}`);
/** A duration between two, read as milliseconds. */
export const span = (min: string, max: string) =>
  z
    .string()
    .refine(isDuration, { error: "must be a duration such as 30m or 24h", abort: true })
    .transform(parseDuration)
    .refine(
      (ms) => ms >= parseDuration(min) && ms <= parseDuration(max),
      `must be between ${min} and ${max}`,
    );
/** Bytes. */
export const size = z
  .string()
  .refine(isSize, { error: "must be a size such as 500mb or 2gb", abort: true })
  .transform(parseSize);
export const directories = words.refine(
  (items) => items.every(isAbsolute),
  "must be a comma list of directories such as /run/postgresql",
);

/** Above the numbers of people, and few enough that nobody loses sight of them. */
const leastUserNumber = 1000;
const mostUserNumbers = 4096;
const noUserNumbers = [65_534, 65_535];
export const userNumberRange = z
  .string()
  .regex(/^\d{1,9}-\d{1,9}$/, { error: "must be two numbers such as 60600-61111", abort: true })
  .transform((value) => {
    const [from, to] = value.split("-").map(Number) as [number, number];
    return { from, to };
  })
  .refine(
    ({ from, to }) => from >= leastUserNumber && to > from && to - from < mostUserNumbers,
    `must go from at least ${leastUserNumber} upwards and hold 2 to ${mostUserNumbers} numbers`,
  )
  .refine(
    ({ from, to }) => noUserNumbers.every((number) => number < from || number > to),
    "must not hold 65534 and 65535, which mean nobody",
  );

export const httpUrl = z
  .url({
    protocol: /^https?$/,
    error: "must be an address such as https://mainstay.example.org",
    abort: true,
  })
  .refine((value) => {
    const { origin, href } = new URL(value);
    return href === `${origin}/`;
  }, "must be an address without a path, such as https://mainstay.example.org")
  .transform((value) => new URL(value).origin);

/** Roles, with those above them: nobody may hand on with a token what they lack themselves. */
export const codeRoles = words
  .pipe(z.array(z.enum(roles, { error: `must be a comma list of ${roles.join(", ")}` })))
  .transform((named): Role[] =>
    roles.filter(
      (role) => role === "admin" || grantableRoles([role]).some((below) => named.includes(below)),
    ),
  );

/** Words that stand for networks in the settings about proxies. */
const proxyWords = new Set(["loopback", "linklocal", "uniquelocal"]);
const isNetwork = (text: string) => ipaddr.isValid(text) || ipaddr.isValidCIDR(text);
export const isProxy = (text: string) => proxyWords.has(text) || isNetwork(text);
export const networks = words.refine(
  (items) => items.every(isNetwork),
  "must be a comma list of addresses or networks such as 10.0.0.0/8",
);

/** As OpenID providers are named: exactly as they name themselves, with a path or a slash at the end or not. */
export const issuerUrl = z
  .url({
    protocol: /^https?$/,
    error: "must be an address such as https://id.example.org",
    abort: true,
  })
  .refine((value) => {
    const { search, hash } = new URL(value);
    return search === "" && hash === "";
  }, "must be an address without ? and #")
  .refine((value) => {
    const { protocol, hostname } = new URL(value);
    return protocol === "https:" || /^(localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
  }, "must begin with https:// unless it is on this machine");

/** Another program's address, perhaps below a path; what is asked of it is put behind. */
export const serviceUrl = z
  .url({
    protocol: /^https?$/,
    error: "must be an address such as http://service:4433",
    abort: true,
  })
  .refine((value) => {
    const { search, hash, username, password } = new URL(value);
    return [search, hash, username, password].every((part) => part === "");
  }, "must be an address without a user, ? and #")
  .transform((value) => new URL(value).href.replace(/\/+$/, ""));

export function isHostPort(text: string): boolean {
  const port = Number(/^.+:(\d{1,5})$/.exec(text)?.[1]);
  return port > 0 && port < 65_536;
}

export function isSmtpUrl(text: string): boolean {
  return (
    URL.canParse(text) && /^smtps?:$/.test(new URL(text).protocol) && new URL(text).hostname !== ""
  );
}

export const databaseAddress = z
  .string()
  .regex(/^postgres(ql)?:\/\//, { error: "must start with postgres://", abort: true })
  .refine(isDatabaseUrl, "must be an address such as postgres://user:password@host:5432/name")
  .optional();

function isDatabaseUrl(text: string): boolean {
  try {
    return new pg.Client({ connectionString: text }).port > 0;
  } catch {
    return false;
  }
}
