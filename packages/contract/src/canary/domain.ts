import { z } from "zod";
import { commonShape, count } from "./fields.ts";

/** Where the registries of the world say which server of theirs answers for which domains. */
export const rdapBootstrap = "https://data.iana.org/rdap/dns.json";
/** Days that a registration must still be valid for, where the check says nothing. */
export const defaultDomainDays = 30;

const httpAddress = z
  .string()
  .max(2048)
  .refine((text) => /^https?:\/\//i.test(text) && URL.canParse(text), {
    error: "The address must begin with http:// or https:// and name a host.",
  });

/** Host names in whatever script; an address of the web is read as its host. */
const domainName = z
  .string()
  .max(2048)
  .refine((text) => readDomain(text) !== undefined, {
    error: "Expected the name of a domain, for example example.com.",
  });

/** The name as registries know it: small letters, ASCII; undefined when it is none. */
export function readDomain(text: string): string | undefined {
  const plain = text.trim();
  const address = plain.includes("://") ? plain : `http://${plain}`;
  if (!URL.canParse(address)) return undefined;
  const name = new URL(address).hostname.replace(/\.$/, "");
  const isName = /^(?=.{4,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;
  return isName.test(name) ? name : undefined;
}

export const domainSpec = z
  .looseObject({
    ...commonShape,
    domain: domainName.describe(
      "The domain, for example example.com; of a name below one the registered domain is found.",
    ),
    maxDomainExpiry: count
      .max(36_500)
      .optional()
      .describe(
        `Days that the registration must still be valid for; ${defaultDomainDays} when absent.`,
      ),
    server: httpAddress
      .optional()
      .describe("Address of the registry's RDAP server; found by the list of IANA when absent."),
    bootstrap: httpAddress
      .optional()
      .describe(`Address of the list of RDAP servers; ${rdapBootstrap} when absent.`),
  })
  .describe("When the registration of a domain ends.");

export type DomainSpec = z.output<typeof domainSpec>;
