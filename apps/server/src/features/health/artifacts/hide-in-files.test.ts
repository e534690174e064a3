import fc from "fast-check";
import { expect, test } from "vitest";
import { type Left, Unreadable } from "#platform/outbound/left-files.ts";
import { createHider } from "#platform/sealing/hide-secrets.ts";
import { hidingKeeper } from "./hide-in-files.ts";

const secret = "sésame & Street";
const hider = createHider([secret, "other-token"])!;

/** What is kept of files, or the error that says why it is not. */
async function kept(content: Buffer, { most = 1_000_000, path = "a" } = {}) {
  const found: [string, Buffer | undefined][] = [];
  const keeper = hidingKeeper(
    {
      async keep(files: AsyncIterable<Left>) {
        for await (const file of files)
          if ("read" in file) found.push([file.path, await file.read(most)]);
      },
    },
    hider,
  )!;
  async function* files(): AsyncGenerator<Left> {
    yield { path, read: () => Promise.resolve(content) };
  }
  await keeper.keep(files(), { signal: new AbortController().signal });
  return found[0]!;
}
const keptText = async (text: string) => String((await kept(Buffer.from(text)))[1]);

test.each([
  ["as it is", secret],
  ["in other letters", "SéSAME & street"],
  ["in an address", encodeURIComponent(secret)],
  ["in HTML", "sésame &amp; Street"],
  ["in base64", Buffer.from(secret).toString("base64")],
])("a secret in a text is hidden: %s", async (_name, form) => {
  const text = await keptText(`before ${form}\nand ${form}${form} after`);
  expect(text.replaceAll(/=+/g, "")).toBe("before [hidden]\nand [hidden][hidden] after");
});

test.each([0, 1, 2, 3])("in the base64 of a longer text, %i letters in", async (before) => {
  const encoded = Buffer.from(`${"x".repeat(before)}other-token after`).toString("base64");
  const text = await keptText(encoded);
  expect(text).toContain("[hidden]");
  expect(Buffer.from(text.replace("[hidden]", ""), "base64").toString()).not.toContain("token");
});

test("a file without one is kept byte for byte, whatever it holds", async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
      const content = Buffer.from(bytes);
      expect((await kept(content))[1]).toBe(content);
    }),
  );
});

test("wherever it stands in a text it is found, and nothing else is touched", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), fc.string({ unit: "binary" }), async (a, b) => {
      fc.pre(!`${a}${b}`.includes("\0"));
      const [before, after] = [a.toWellFormed(), b.toWellFormed()];
      expect(await keptText(`${before}${secret}${after}`)).toBe(`${before}[hidden]${after}`);
    }),
    { numRuns: 50 },
  );
});

test("a file that is no text and holds one is not kept", async () => {
  for (const beginning of [Buffer.from([0]), Buffer.from([0xff, 0xd8])])
    await expect(kept(Buffer.concat([beginning, Buffer.from(secret)]))).rejects.toThrow(
      new Unreadable("it holds a secret of the check"),
    );
});

test("neither is one that is too large with what stands in its place, nor a name that tells", async () => {
  const hidden = createHider(["abcd"])!;
  expect(hidden.places(Buffer.from("xABCDx"))).toEqual([[1, 5]]);
  expect((await kept(Buffer.from("other-token"), { most: 7 }))[1]).toBeUndefined();
  expect((await kept(Buffer.from(""), { path: "other-token.txt" }))[0]).toBe("[hidden].txt");
});

test("ten megabytes are looked through for a hundred secrets at once", () => {
  const many = createHider(Array.from({ length: 100 }, (_, index) => `secret number ${index}`))!;
  const content = Buffer.alloc(10 * 1024 * 1024, "secret numbers are said ");
  content.write("secret number 99", content.length - 16);
  expect(many.places(content)).toEqual([[content.length - 16, content.length]]);
});
