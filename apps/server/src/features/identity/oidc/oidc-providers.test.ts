import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkOpenIdProviders, openIdProviders } from "./oidc-providers.ts";

const good = { id: "acme", issuer_url: "https://id.example.org/realm", client_id: "mainstay" };
const read = (value: unknown) => openIdProviders({ oidcProviders: JSON.stringify(value) });

describe("the list of providers", () => {
  test("is none when nothing is set", () => {
    expect(openIdProviders({ oidcProviders: undefined })).toEqual([]);
  });

  test("is read from JSON, from a list or under its name, and from a YAML file", () => {
    expect(read([good])).toMatchObject([{ id: "acme", label: "acme", linkByEmail: false }]);
    expect(read({ providers: [{ ...good, label: "Acme" }] })).toMatchObject([{ label: "Acme" }]);
    const directory = mkdtempSync("/tmp/mainstay-providers-");
    try {
      const file = join(directory, "providers.yaml");
      writeFileSync(
        file,
        "- id: acme\n  issuer_url: https://id.example.org\n  client_id: mainstay\n",
      );
      expect(openIdProviders({ oidcProviders: file })).toMatchObject([{ id: "acme" }]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  test.each([
    ["no list", "{}", "providers"],
    ["no JSON", "[{", "cannot be read"],
    ["no file", "/nowhere/providers.yaml", "cannot be read"],
    ["an id with a slash", [{ ...good, id: "a/b" }], "at 0.id: must be a short name in lower case"],
    ["no issuer", [{ id: "a", client_id: "b" }], "at 0.issuer_url"],
    [
      "an issuer without TLS",
      [{ ...good, issuer_url: "http://id.example.org" }],
      "must begin with https://",
    ],
    ["an odd word", [{ ...good, client_secrte: "hush" }], "Unrecognized key"],
    ["the same twice", [good, good], "two providers with the same id"],
  ])("%s is refused with its place, and without secrets", (_what, value, message) => {
    const open = () =>
      openIdProviders({ oidcProviders: typeof value === "string" ? value : JSON.stringify(value) });
    expect(open).toThrow(message);
    expect(open).not.toThrow("hush");
  });

  test("a wrong expression stops the program and names its provider", async () => {
    const wrong = { oidcProviders: JSON.stringify([{ ...good, roles: "claims.groups.(" }]) };
    await expect(checkOpenIdProviders(wrong)).rejects.toThrow("roles of acme is wrong");
    await checkOpenIdProviders({ oidcProviders: JSON.stringify([{ ...good, roles: "'viewer'" }]) });
  });
});
