import sql from "sql-template-tag";
import { z } from "zod";
import type { Address } from "#platform/address.ts";
import type { Ctx, Tx } from "#platform/context.ts";
import { openEncryption } from "#platform/encryption.ts";
import { defineJob } from "#platform/jobs/job.ts";
import { CODE_LIFESPAN_MS, allowTries, type CodePurpose, issueCode, issueLink } from "./codes.ts";
import { flowKinds } from "../flows/flow-kinds.ts";
import type { Flow } from "../flows/flow.ts";
import { type Mail, mailedAddress, sendMail } from "../mail/mail.ts";

/** What a flow keeps about the code it has asked for. */
export interface KeptCode {
  address: Address;
}

/**
 * Sends the code of a flow. Whether there is anybody at the address is found out here and not in the request, so that
 * a request for a stranger does the same work, and takes the same time, as one for somebody known. Twice is one mail
 * too many and otherwise harmless: the later code takes the place of the earlier.
 */
export const mailCode = defineJob({
  name: "identity/mail-code",
  payload: z.object({ flow_id: z.guid() }),
  concurrency: 4,
  timeoutMs: 90_000,
  retries: 4,
  history: { name: "SendCode", retention: "few" },
  async run(ctx, { flow_id: flowId }) {
    const now = ctx.clock.now();
    const flow = await ctx.db.first<Pick<Flow, "id" | "kind" | "state">>(sql`
      select id, kind, state from identity_flows
       where id = ${flowId} and expires_at > ${now} and state ->> 'ended' is null`);
    const kept = flow?.state.kept.code as KeptCode | undefined;
    if (!flow || !kept || flow.kind === "settings") return;
    const mail = await writeMail(ctx, flow.id, flow.kind, kept.address);
    if (mail) await sendMail(ctx, mail);
  },
});

/** Has the code of a flow sent, and starts its tries anew. */
export async function askForCode(tx: Tx, flowId: string): Promise<void> {
  await allowTries(tx, flowId);
  await tx.enqueue(mailCode, { flow_id: flowId }, { singletonKey: flowId });
}

interface Addressee {
  id: string;
  verified: boolean;
}

const findAddressee = (ctx: Ctx, address: Address) =>
  ctx.db.first<Addressee>(sql`
    select i.id, coalesce(a.verified, false) as verified
      from identities i
      join people p on p.id = i.id and p.deleted_at is null
      left join identity_addresses a on a.identity_id = i.id
     where i.traits ->> 'email' = ${address} and i.state = 'active'`);

async function writeMail(
  ctx: Ctx,
  flowId: string,
  purpose: CodePurpose,
  address: Address,
): Promise<Mail | undefined> {
  const addressee = await findAddressee(ctx, address);
  const base = mailedAddress(ctx.config);
  if (purpose === "registration") {
    if (addressee) return alreadyRegistered(address, base);
  } else if (!addressee || (purpose === "verification" && addressee.verified)) {
    return undefined;
  }
  const now = ctx.clock.now();
  const { code, token } = await ctx.db.transaction(async (tx) => {
    const secret = { purpose, identityId: addressee?.id ?? null, address, now };
    const hasLink = purpose === "recovery" || purpose === "verification";
    if (purpose === "verification")
      await tx.run(sql`
        update identity_addresses set status = 'sent', updated_at = ${now}
         where identity_id = ${addressee!.id} and not verified`);
    return {
      code: await issueCode(tx, openEncryption(ctx.config), { ...secret, flowId }),
      token: hasLink ? await issueLink(tx, { ...secret, lifespanMs: CODE_LIFESPAN_MS }) : undefined,
    };
  });
  const minutes = CODE_LIFESPAN_MS / 60_000;
  const { subject, what } = words[purpose];
  return {
    to: address,
    subject: `${subject}: ${code}`,
    text: [
      `Your code is ${code}. It lets you ${what} at ${base} for ${minutes} minutes. Type it in where you asked for it.`,
      ...(token ? [`Or follow this link:\n${base}${flowKinds[purpose].path}?token=${token}`] : []),
      "If you did not ask for this code, ignore this mail, and give the code to nobody.",
    ],
  };
}

const words: Record<CodePurpose, { subject: string; what: string }> = {
  recovery: { subject: "Recover your account", what: "recover your account" },
  verification: { subject: "Verify your address", what: "verify this address" },
  login: { subject: "Sign in", what: "sign in" },
  registration: { subject: "Create your account", what: "create your account" },
};

const alreadyRegistered = (to: string, base: string): Mail => ({
  to,
  subject: "You have an account already",
  text: [
    `Somebody, probably you, tried to create an account with this address at ${base}. You have one already.`,
    `Sign in at ${base}${flowKinds.login.page}, or choose a new password at ${base}${flowKinds.recovery.page}.`,
    "If it was not you, there is nothing to do.",
  ],
});
