import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { parse } from "yaml";
import {
  canaryFormat,
  checkJsonSchema,
  checkSpecs,
  mapCanarySecrets,
  supportedCheckTypes,
  type SupportedCheckType,
} from "@mainstay/contract/canary/index.ts";
import { judgeSpec } from "@mainstay/contract/documents/document-format.ts";
import { secretPlaceholder } from "@mainstay/contract/secrets/index.ts";
import { checkExamples } from "@mainstay/testkit/check-examples.ts";
import { isWhole, sample } from "@mainstay/testkit/sample.ts";
import { labelOf } from "@mainstay/ui/schema-form/schema-fields.ts";
import { copied, cutOff, paste } from "./browser.ts";
import { FormFiller } from "./fill-form.ts";
import { journey, journeys } from "./journey.ts";

type Written = Readonly<Record<string, unknown>>;

const examples = checkExamples();
const namespace = "forms";
const description = "Changed by form";

/** The same check in the words that a form asks for, where its example has another spelling. */
function inUsualWords(type: SupportedCheckType, check: Written): Written {
  const { properties = {} } = checkJsonSchema(type) as {
    properties?: Record<string, { description?: string }>;
  };
  const usual = (key: string) =>
    /^Another (?:name|spelling) (?:for|of) (\w+)/.exec(properties[key]?.description ?? "")?.[1] ??
    key;
  return Object.fromEntries(Object.entries(check).map(([key, value]) => [usual(key), value]));
}

/** A document as somebody has written notes into it. */
const annotated = (text: string): string =>
  text
    .split("\n")
    .flatMap((line, index) => [
      ...(/^ {6}[^\s#-]/.test(line) ? [`      # note ${index}`] : []),
      /^ {2}namespace: ./.test(line) ? `${line} # ours` : line,
    ])
    .join("\n");

const isFine = (type: string, check: Written): boolean =>
  judgeSpec(canaryFormat, { [type]: [check] }).findings.every(
    ({ severity }) => severity !== "error",
  );

/** Something of a type's own that could be said otherwise, and how; nothing where all of it is longer than a line. */
function changeOf(type: string, check: Written): { key: string; value: unknown } | undefined {
  for (const [key, value] of Object.entries(check)) {
    if (["name", "description"].includes(key) || value === secretPlaceholder) continue;
    const others =
      typeof value === "number"
        ? [value + 1]
        : typeof value === "boolean"
          ? [!value]
          : typeof value === "string" && !value.includes("\n")
            ? [`${value}x`, `${value}1`, value.replace(/\d/, "7")]
            : [];
    const other = others.find((one) => one !== value && isFine(type, { ...check, [key]: one }));
    if (other !== undefined) return { key, value: other };
  }
  return undefined;
}

/** The part of the page in which one check is written whole. */
async function wholeForm(page: Page | Locator) {
  const region = page.getByRole("region", { name: "Check", exact: true });
  // Sections in which nothing is set are closed.
  for (const title of [/^Scripts$/, /^More$/]) {
    const summary = region.locator("summary").filter({ hasText: title });
    const isOpen = await summary.evaluate((one) => (one.parentElement as HTMLDetailsElement).open);
    if (!isOpen) await summary.click();
  }
  return region.elementHandle();
}

/** Its example has thirty fields, and takes as long as five others. */
const longest = "multistep";
const short = supportedCheckTypes.filter((type) => type !== longest);

journeys("every check type by form", () => {
  for (const type of isWhole ? supportedCheckTypes : sample(short, 1))
    journey(`${type} is made, saved, changed and read back`, async ({ openAsAdmin }) => {
      const example = examples.get(type)!;
      const name = `walk ${type}`;
      const page = await openAsAdmin();
      const form = new FormFiller(page);

      await page.goto("/health?addCheck=true");
      const adding = page.getByRole("dialog", { name: "Add check" });
      await adding.getByRole("searchbox", { name: "Search check types" }).fill(type);
      await adding
        .getByRole("listitem")
        .filter({ has: page.getByText(checkSpecs[type].description!, { exact: true }) })
        .getByRole("button")
        .click();
      const nameField = adding.getByRole("textbox", { name: "Name", exact: true });
      await expect
        .poll(() => nameField.evaluate((field) => field === document.activeElement))
        .toBe(true);
      await page.keyboard.type(name);

      // What the short form asks for there, the rest in the whole one.
      const few = await adding.getByRole("tabpanel").elementHandle();
      const { name: _named, ...asked } = inUsualWords(type, example);
      const meant: Record<string, unknown> = { name };
      for (const [key, value] of Object.entries(asked))
        if (await form.has(few, labelOf(key)))
          meant[key] = await form.fill(few, labelOf(key), value);
      await form.fill(few, "Schedule", "@hourly");
      await adding.getByRole("button", { name: "More fields" }).click();
      const whole = await wholeForm(adding);
      for (const [key, value] of Object.entries(asked))
        if (!(key in meant)) meant[key] = await form.fill(whole, labelOf(key), value);
      const around = adding.getByRole("region", { name: "Document", exact: true });
      await around.getByText("More of the document").click();
      const fields = await around.elementHandle();
      await form.fill(fields, "Namespace", namespace);
      // What our examples ask for is nowhere: nothing is run.
      await form.fill(fields, "Replicas", 0);
      expect(await cutOff(page)).toEqual([]);

      await adding.getByRole("tab", { name: "YAML" }).click();
      const made = await copied(page, "Canary document");
      const spec = { schedule: "@hourly", replicas: 0, [type]: [meant] };
      const metadata = { name, namespace };
      const head = { apiVersion: "canaries.flanksource.com/v1", kind: "Canary" };
      expect(parse(made)).toEqual({ ...head, metadata, spec });
      const noted = annotated(made);
      await paste(page, "Canary document", noted);
      await adding.getByRole("button", { name: "Review changes" }).click();
      await adding.getByRole("button", { name: "Save", exact: true }).click();
      await adding.waitFor({ state: "detached" });
      await page.getByText(`${name} saved`).waitFor();
      await page.getByRole("button", { name: "Open", exact: true }).click();
      await page.waitForURL(/\/settings\/canaries\//);
      const id = new URL(page.url()).pathname.split("/").at(-1)!;

      // No secret is handed out; every other letter is as it was written.
      const stored = mapCanarySecrets(spec, () => secretPlaceholder);
      const before = await copied(page, "Document");
      const known = { ...head, metadata: { ...metadata, uid: id } };
      expect(parse(before)).toEqual({ ...known, spec: stored });
      const notesOf = (text: string) => text.split("\n").filter((line) => line.includes("#"));
      expect(notesOf(before)).toEqual(notesOf(noted));

      await page.getByRole("tab", { name: "Form" }).click();
      const [check] = stored[type] as [Written];
      const changed: Record<string, unknown> = { ...check, description };
      const change = changeOf(type, check);
      const again = await wholeForm(page);
      await form.fill(again, "Description", description);
      if (change) changed[change.key] = await form.fill(again, labelOf(change.key), change.value);
      await page.getByRole("tab", { name: "YAML" }).click();
      const after = await copied(page, "Document");
      const expected = { ...known, spec: { ...stored, [type]: [changed] } };
      expect(parse(after)).toEqual(expected);
      // Of the lines that were there only those are gone that were changed, and none has another place.
      const lines = new Set(after.split("\n"));
      const left = before.split("\n").filter((line) => lines.has(line));
      const gone = before.split("\n").filter((line) => !lines.has(line));
      const rewritten = Object.keys(check).filter((key) => check[key] !== changed[key]);
      expect(gone.map((line) => /\w+(?=:)/.exec(line)?.[0] ?? line).toSorted()).toEqual(
        rewritten.toSorted(),
      );
      const kept = new Set(left);
      expect(after.split("\n").filter((line) => kept.has(line))).toEqual(left);

      await page.getByRole("button", { name: "Review changes" }).click();
      await page.getByRole("button", { name: "Update", exact: true }).click();
      await page.getByText(`${name} updated successfully`).waitFor();
      const reply = await page.request.get(`/api/documents/canary/${id}`);
      const read = (await reply.json()) as { text: string; document: { spec: Written } };
      expect(read.text).toBe(after);
      expect(read.document.spec).toEqual(expected.spec);
      const deleted = await page.request.delete(`/api/db/canaries?id=eq.${id}`);
      expect(deleted.ok()).toBe(true);
    });
});
