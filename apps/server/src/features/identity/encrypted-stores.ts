import type { EncryptedStore } from "#platform/encrypted-stores.ts";
import type { Encryption } from "#platform/encryption.ts";

/** Every encrypted text in a value, whose place is the same. */
function renewTexts(value: unknown, place: string, encryption: Encryption): unknown {
  if (typeof value === "string" && value.startsWith("m1:"))
    return encryption.encrypt(encryption.decrypt(value, place), place);
  if (Array.isArray(value)) return value.map((one) => renewTexts(one, place, encryption));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, renewTexts(one, place, encryption)]),
  );
}

/** As somebody is called, of whom a row has the id. */
const person =
  "coalesce((select coalesce(p.email, p.name) from people p where p.id = identity_id), identity_id::text)";
/** Nothing of a row is left without its secret. */
const forget = () => ({ lost: [] });

/** What lasts. Forms that are open hold secrets as well; they are gone within a day. */
export const encryptedStores: readonly EncryptedStore[] = [
  {
    table: "identity_credentials",
    column: "config",
    // As the places of second factors are called: `totp <identity>`.
    key: "type || ' ' || identity_id",
    renew: renewTexts,
    title: `case type when 'totp' then 'authenticator app' when 'lookup_secret' then 'backup codes' else type end || ' of ' || ${person}`,
    forget,
  },
  {
    table: "unmailed_invitations",
    column: "link",
    key: "'invitation ' || identity_id",
    renew: renewTexts,
    title: `'link of the invitation of ' || ${person}`,
    forget,
  },
];
