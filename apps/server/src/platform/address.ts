import { domainToASCII } from "node:url";

declare const isNormal: unique symbol;

/**
 * An e-mail address in its normal form. People are stored, looked up, told apart and counted by it, and by nothing
 * else: two spellings that are one account are one throttle. The database compares signs as they are; no other folding
 * of letters happens anywhere.
 */
export type Address = string & { readonly [isNormal]: true };

export const MAX_ADDRESS_LENGTH = 320;

const LONGEST_LOCAL = 64;
const LONGEST_DOMAIN = 253;
const LONGEST_LABEL = 63;

const localShape = /^[^\s@<>()[\],;:\\"]+$/u;
// Of ASCII only what names of hosts are made of; what else may stand in a name, domainToASCII knows.
const domainShape = /^(?:[\w.-]|[^\p{ASCII}\s])+$/u;

// Not seen, or without a meaning that all agree on: control signs, what joins, turns or fills, surrogates, signs that
// are nobody's or not there yet.
const unseen = /\p{C}|\p{Default_Ignorable_Code_Point}/u;
/**
 * Letters that are none of ASCII and become one when the case changes, and the dot that is lost over an `i`; a mark
 * that stands on nothing. Others of the kind (ſ, K, ﬀ) do not survive NFKC.
 */
const passesForAscii = /[\u0130\u0131]|[ij]\u0307|^\p{M}/iu;

/**
 * The normal form of an address however it is written, or undefined for what is no address and for what is meant to be
 * taken for another: in small letters and NFC, the domain as the name service knows it (`xn--`).
 */
export function normalAddress(typed: string): Address | undefined {
  // Composing makes a text three times as long at most, and never from less than a third.
  if (typed.length > 3 * MAX_ADDRESS_LENGTH || !typed.isWellFormed()) return undefined;
  const text = typed.normalize("NFC").trim();
  // What NFKC would change is another way of writing a sign: full width, superscripts, ligatures.
  if (unseen.test(text) || text.normalize("NFKC") !== text) return undefined;
  const [local = "", domain = "", ...rest] = text.split("@");
  if (rest.length > 0 || !localShape.test(local) || passesForAscii.test(local)) return undefined;
  const folded = foldCase(local);
  const host = normalDomain(domain);
  if (Array.from(folded).length > LONGEST_LOCAL || host === undefined) return undefined;
  return `${folded}@${host}` as Address;
}

/** Small letters, where the end of a word makes no difference. */
const foldCase = (text: string) => text.toLowerCase().replaceAll("ς", "σ").normalize("NFC");

function normalDomain(domain: string): string | undefined {
  if (!domainShape.test(domain)) return undefined;
  // The dot at the end says that the name is whole, as it is in an address anyway.
  const host = domainToASCII(domain).replace(/\.$/, "");
  const labels = host.split(".");
  const isName = labels.every((label) => label !== "" && label.length <= LONGEST_LABEL);
  return isName && host.length <= LONGEST_DOMAIN ? host : undefined;
}

/**
 * What attempts on an account are counted by, whatever was typed: the address, or, of a name that is none (another
 * identity service may know such), its bare letters, so that a name in disguise counts as the name.
 */
export function accountKey(typed: string): string {
  const address = normalAddress(typed);
  if (address !== undefined) return address;
  const bare = (text: string) => text.normalize("NFKD").replace(/[^\p{L}\p{N}]/gu, "");
  return bare(bare(typed.slice(0, MAX_ADDRESS_LENGTH)).toUpperCase()).toLowerCase();
}
