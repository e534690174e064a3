import type { SecurityFact } from "@mainstay/contract";
import sql from "sql-template-tag";
import type { Ctx } from "#platform/context.ts";
import { counted, factsThatHold } from "#platform/security-facts.ts";
import { secondFactorTypes } from "./credentials.ts";
import { sendsMail } from "./mail/mail.ts";

/** What the ways in weaken; those of another identity service are that one's to tell. */
export async function identityFacts(ctx: Ctx): Promise<SecurityFact[]> {
  const { config } = ctx;
  if (config.identityUrl !== undefined || config.hostedIssuer !== undefined) return [];
  const { without, all } = await countAdministrators(ctx);
  return factsThatHold([
    [
      config.registration === "open",
      () => ({
        id: "registration.open",
        title: "Everybody may register",
        state: "Whoever reaches the sign-in page makes an account of their own, and is a viewer.",
        cost: "A viewer reads what every check and every item holds, and may use up what one person may ask for.",
        remedy: "Set REGISTRATION to invite, and invite people from the page Users.",
        setting: "REGISTRATION",
        weight: "serious",
      }),
    ],
    [
      config.signInByCode && !sendsMail(config),
      () => ({
        id: "code.without.mail",
        title: "Codes for signing in are switched on and cannot be sent",
        state: "SIGN_IN_BY_CODE is on, and there is no mail server.",
        cost: "Nobody is offered this way in until somebody sets a mail server; from then on whoever reads a mailbox can sign in.",
        remedy: "Set SMTP_URL if that is wanted, or leave SIGN_IN_BY_CODE out.",
        setting: "SIGN_IN_BY_CODE",
        weight: "notable",
      }),
    ],
    [
      config.signInByCode && sendsMail(config),
      () => ({
        id: "code.by.mail",
        title: "A mailbox is enough to sign in",
        state: "SIGN_IN_BY_CODE is on: a code that is sent by mail stands for the password.",
        cost: "Whoever reads somebody's mail signs in as them, unless they have a second factor.",
        remedy:
          "Leave SIGN_IN_BY_CODE out, or have people set up second factors in their profiles.",
        setting: "SIGN_IN_BY_CODE",
        weight: "notable",
      }),
    ],
    [
      without > 0,
      () => ({
        id: "administrators.one.factor",
        title: "Administrators sign in with a password alone",
        state: `${counted(without, "administrator of", "administrators of")} ${all} without a second factor.`,
        cost: "Whoever learns or guesses one of these passwords has the whole server.",
        remedy:
          "Each of them sets up an authenticator app or a security key under Your profile, and keeps the backup codes.",
        weight: "serious",
      }),
    ],
  ]);
}

/** Those who can sign in here. */
async function countAdministrators(ctx: Ctx): Promise<{ without: number; all: number }> {
  const row = await ctx.db.first<{ without: number; all: number }>(sql`
    select count(*)::int as all,
           count(*) filter (where not exists (
             select from identity_credentials c
              where c.identity_id = i.id and c.type = any(${[...secondFactorTypes]}::text[])))::int as without
      from identities i join people p on p.id = i.id and p.deleted_at is null
     where i.state = 'active' and exists (
       select from casbin_rule r where r.ptype = 'g' and r.v0 = i.id::text and r.v1 = 'admin')`);
  return row!;
}
