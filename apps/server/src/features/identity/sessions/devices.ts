import { createHash, randomBytes } from "node:crypto";
import sql from "sql-template-tag";
import type { Queryable } from "#platform/db/database.ts";
import { networkOf } from "#platform/http/network-of.ts";
import type { Exchange } from "../flows/exchange.ts";
import type { FlowType } from "../flows/flow.ts";
import { isSecure } from "./request-origin.ts";

const COOKIE = "mainstay_device";
const YEAR_SECONDS = 365 * 24 * 3600;
const cookieShape = /^[\w-]{22}$/;

/** What tells the device that signs in from others: a cookie of its browser, or its program and network. */
export function deviceKey({ request, reply, config }: Exchange, type: FlowType): string {
  if (type === "api") {
    const program = (request.headers["user-agent"] ?? "").slice(0, 512);
    return hash(`program ${networkOf(request.ip)} ${program}`);
  }
  const known = request.cookies[COOKIE];
  const device =
    known !== undefined && cookieShape.test(known) ? known : randomBytes(16).toString("base64url");
  reply.setCookie(COOKIE, device, {
    path: "/api/.ory",
    httpOnly: true,
    sameSite: "lax",
    secure: isSecure(request, config),
    maxAge: YEAR_SECONDS,
  });
  return hash(`browser ${device}`);
}

const hash = (text: string) => createHash("sha256").update(text).digest("hex");

/** Remembers from where somebody signs in; true when it is new, and not the first there is. */
export async function meetDevice(
  tx: Queryable,
  { identityId, key, now }: { identityId: string; key: string; now: Date },
): Promise<boolean> {
  const met = await tx.first<{ is_new: boolean; is_first: boolean }>(sql`
    insert into identity_devices (identity_id, device_key, first_seen_at, last_seen_at)
    values (${identityId}, ${key}, ${now}, ${now})
    on conflict (identity_id, device_key) do update set last_seen_at = excluded.last_seen_at
    returning xmax = 0 as is_new,
              not exists (select from identity_devices where identity_id = ${identityId}) as is_first`);
  return met!.is_new && !met!.is_first;
}
