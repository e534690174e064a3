import { expect, test } from "vitest";
import { createHider } from "./hide-secrets.ts";

const secret = "s3cret/ & <value>";
const hider = createHider([secret])!;

test.each([
  ["as it is", secret],
  ["in another case", secret.toUpperCase()],
  ["in an address", encodeURIComponent(secret)],
  ["in a form", encodeURIComponent(secret).replaceAll("%20", "+")],
  ["in HTML", "s3cret/ &amp; &lt;value&gt;"],
  ["in base64", Buffer.from(secret).toString("base64")],
  ["in base64url", Buffer.from(secret).toString("base64url")],
])("hidden %s", (_, form) => {
  expect(hider.message(`before ${form} after`)).toMatch(/^before \[hidden\]=* after$/);
});

test("hidden everywhere in JSON, in keys and however deep", () => {
  const deep = { [`a ${secret}`]: [secret, 1, null, true, { b: `x${secret}` }] };
  expect(hider.value(deep)).toEqual({
    "a [hidden]": ["[hidden]", 1, null, true, { b: "x[hidden]" }],
  });
  expect(hider.value(JSON.parse(`{"__proto__":"${secret}"}`))).toEqual(
    JSON.parse('{"__proto__":"[hidden]"}'),
  );
  let nested: unknown = secret;
  for (let level = 0; level < 50_000; level += 1) nested = { nested };
  let found = hider.value(nested);
  for (let level = 0; level < 50_000; level += 1) found = (found as { nested: unknown }).nested;
  expect(found).toBe("[hidden]");
});

test("what a cut left of it is hidden too", () => {
  const long = "x".repeat(300);
  for (let length = 4; length < secret.length; length += 1) {
    const [start, end] = [secret.slice(0, length), secret.slice(-length)];
    expect(hider.value([long + start, end + long])).toEqual([`${long}[hidden]`, `[hidden]${long}`]);
    expect(hider.message(`$.x is "${long}${start}", wanted "y"`)).toBe(
      `$.x is "${long}[hidden]", wanted "y"`,
    );
    expect(hider.message(`ended with code 1: ${end}${long}`)).toBe(
      `ended with code 1: [hidden]${long}`,
    );
  }
});

test("lines of a longer one", () => {
  const key = createHider([
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG\n-----END PRIVATE KEY-----",
  ])!;
  expect(key.message("near MIIEvQIBADANBgkqhkiG: bad")).toBe("near [hidden]: bad");
});

test("nothing is hidden where there is nothing, and ordinary words are not", () => {
  expect(createHider([])).toBeUndefined();
  expect(createHider(["abc", "true", ""])).toBeUndefined();
});

test("many secrets in a long text take no time to speak of", () => {
  const many = createHider(
    Array.from({ length: 256 }, (_, n) => `secret ${n} ${"s".repeat(100)} ${"x".repeat(n)}`),
  )!;
  const texts = Array.from({ length: 1_000 }, () => "secret s".repeat(16));
  expect(many.value(texts)).toEqual(texts);
  // Where each secret is looked for at each place it takes many minutes; a busy machine does not.
}, 60_000);
