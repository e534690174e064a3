import { isCommonPassword } from "./common-passwords.ts";
import { messages, type UiText } from "../flows/messages.ts";
import { MAX_PASSWORD_BYTES } from "./passwords.ts";
import type { Traits } from "../traits.ts";

const MIN_PASSWORD_LENGTH = 8;
/** Words about the person or the product count when they are this long, and then when they make up most of the password. */
const MIN_WORD_LENGTH = 4;
/** What this is called is no secret to anybody here. */
const PRODUCT_WORDS = ["mainstay"];

/**
 * What is wrong with a password that somebody chooses, or undefined. No rules about kinds of signs: length, and not
 * one that others try first (NIST SP 800-63B).
 */
export async function weaknessOf(password: string, traits: Traits): Promise<UiText | undefined> {
  const length = Array.from(password).length;
  if (length < MIN_PASSWORD_LENGTH) return messages.passwordTooShort(MIN_PASSWORD_LENGTH, length);
  if (Buffer.byteLength(password) > MAX_PASSWORD_BYTES)
    return messages.passwordTooLong(MAX_PASSWORD_BYTES);
  if (!password.isWellFormed()) return messages.invalidText;
  if (isAbout(password, traits)) return messages.passwordLikeAddress;
  if (isMonotonous(password) || isMostly(password, PRODUCT_WORDS)) return messages.passwordBreached;
  if (await isCommonPassword(password)) return messages.passwordBreached;
  return undefined;
}

function isAbout(password: string, { email, name = {} }: Traits): boolean {
  const address: string = email ?? "";
  const [local = "", domain = ""] = address.split("@");
  const words = [
    address,
    local,
    domain,
    domain.split(".")[0] ?? "",
    name.first ?? "",
    name.last ?? "",
  ];
  return isMostly(password, words);
}

function isMostly(password: string, words: readonly string[]): boolean {
  const lower = password.toLowerCase();
  return words
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= MIN_WORD_LENGTH)
    .some((word) => lower.includes(word) && word.length * 2 > lower.length);
}

/** One sign, or two in turns: `aaaaaaaa`, `abababab`. */
const isMonotonous = (password: string) => new Set(password.toLowerCase()).size < 3;
