import type { Exchange } from "../flows/exchange.ts";
import { GateFull } from "#platform/gate.ts";
import { messages } from "../flows/messages.ts";
import { type Fields, type FlowChange, textOf } from "../flows/method.ts";
import { weaknessOf } from "./password-strength.ts";
import { hashPassword } from "./passwords.ts";
import type { Traits } from "../traits.ts";

/** The hash of a password that somebody has chosen, or what is wrong with it. */
export async function readNewPassword(
  { ctx, limits, request }: Exchange,
  fields: Fields,
  traits: Traits,
): Promise<{ hashed: string } | { refusal: FlowChange }> {
  const given = textOf(fields.password);
  const problem = given === "" ? messages.missing("password") : await weaknessOf(given, traits);
  if (problem) return { refusal: { fieldMessages: { password: [problem] } } };
  const wait = limits.takeNewPassword(request.ip);
  if (wait > 0)
    return { refusal: { messages: [messages.tooManyPasswords(wait)], retryAfter: wait } };
  try {
    return { hashed: await hashPassword(given, ctx.signal) };
  } catch (error) {
    if (!(error instanceof GateFull)) throw error;
    return { refusal: { messages: [messages.busy], retryAfter: 3 } };
  }
}
