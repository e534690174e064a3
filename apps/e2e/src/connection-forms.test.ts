import type { Locator } from "playwright-core";
import { expect } from "vitest";
import type {
  ConnectionField,
  ConnectionType,
} from "@mainstay/contract/connections/connection-type.ts";
import { columnPlaceholder } from "@mainstay/contract/connections/connection-secrets.ts";
import { connectionTypes } from "@mainstay/contract/connections/connection-types.ts";
import { secretPlaceholder } from "@mainstay/contract/secrets/index.ts";
import { isWhole, sample } from "@mainstay/testkit/sample.ts";
import { journey, journeys } from "./journey.ts";

const namespace = "connection-forms";
const offered = connectionTypes.filter(({ hidden }) => hidden !== true);

/** What decides where secrets are sent: with another one they have to be written again. */
const leads = /^url$|insecure|\.(?:host|port|scheme|tenant|share)$/i;

/** Something that fits a field, another one `again`. */
function valueFor({ key, input, options }: ConnectionField, again = false): string {
  if (input === "checkbox") return String(!again);
  if (input === "select") return options!.at(again ? 0 : -1)!.value;
  if (input === "number") return again ? "8443" : "8080";
  const word = `${key.split(".").at(-1)}-${again ? "after" : "before"}`;
  if (key === "url") return `https://${word}.example.com/path`;
  return input === "multiline" ? `${word}\nin two lines` : word;
}

/** The control of a field, whatever it is. */
const controlOf = (form: Locator, { label, input }: ConnectionField): Locator =>
  input === "checkbox"
    ? form.getByRole("checkbox", { name: label, exact: true })
    : input === "select"
      ? form.getByRole("combobox", { name: label, exact: true })
      : form
          .getByRole("textbox", { name: label, exact: true })
          // What must not be read over a shoulder has no role.
          .or(form.locator(`input[type=password][aria-label="${label}"]`));

async function write(form: Locator, field: ConnectionField, value: string): Promise<void> {
  const control = controlOf(form, field);
  if (field.input === "checkbox") await control.setChecked(value === "true");
  else if (field.input === "select") await control.selectOption(value);
  else await control.fill(value);
}

const read = (form: Locator, field: ConnectionField): Promise<string> =>
  field.input === "checkbox"
    ? controlOf(form, field).isChecked().then(String)
    : controlOf(form, field).inputValue();

interface Row {
  id: string;
  [column: string]: unknown;
  properties: Record<string, string> | null;
}

/** What a row says in a field, as its form would. */
const storedIn = (row: Row, { key }: ConnectionField): string =>
  String(key.startsWith("properties.") ? row.properties?.[key.slice(11)] : row[key]);

const placeholderOf = ({ key }: ConnectionField) =>
  key.startsWith("properties.") ? secretPlaceholder : columnPlaceholder;

/** A field that may change alone, and one that is typed into rather than not. */
const changeable = ({ fields }: ConnectionType): ConnectionField | undefined => {
  const own = fields.filter(({ key, secret }) => !secret && !leads.test(key));
  return own.find(({ input }) => input === "text") ?? own[0];
};

journeys("every connection type by form", () => {
  for (const type of isWhole ? offered : sample(offered, 1))
    journey(`${type.type} is made, opened, changed and read back`, async ({ openAsAdmin }) => {
      const name = `walk ${type.type}`;
      const page = await openAsAdmin();
      const rowOf = async () => {
        const reply = await page.request.get(
          `/api/db/connections?select=*&namespace=eq.${namespace}&name=eq.${encodeURIComponent(name)}&deleted_at=is.null`,
        );
        const rows = (await reply.json()) as Row[];
        expect(rows).toHaveLength(1);
        return rows[0]!;
      };

      await page.goto("/settings/connections");
      await page.getByRole("button", { name: "Add connection" }).first().click();
      const picker = page.getByRole("dialog", { name: "Add connection" });
      await picker.getByRole("searchbox").fill(type.label);
      await picker.getByRole("button", { name: type.label, exact: true }).click();
      const adding = page.getByRole("dialog", { name: `Add ${type.label} connection` });
      await adding.getByRole("textbox", { name: "Name", exact: true }).fill(name);
      await adding.getByRole("textbox", { name: "Namespace" }).fill(namespace);
      const meant = new Map(type.fields.map((field) => [field, valueFor(field)]));
      for (const [field, value] of meant) await write(adding, field, value);
      await adding.getByRole("button", { name: "Save" }).click();
      await page.getByText("Connection added successfully").waitFor();

      // A secret is never handed out, neither in the row nor in its form.
      const isAsMeant = (row: Row) => {
        for (const [field, value] of meant)
          expect([field.key, storedIn(row, field)]).toEqual([
            field.key,
            field.secret ? placeholderOf(field) : value,
          ]);
      };
      const { id, ...made } = await rowOf();
      isAsMeant({ id, ...made });
      const open = async () => {
        await page.goto(`/settings/connections?id=${id}`);
        const form = page.getByRole("dialog", { name });
        await form.getByRole("textbox", { name: "Name", exact: true }).waitFor();
        for (const [field, value] of meant)
          if (field.secret)
            await form.getByRole("button", { name: `Replace ${field.label}` }).waitFor();
          else expect([field.key, await read(form, field)]).toEqual([field.key, value]);
        return form;
      };

      const form = await open();
      const other = changeable(type);
      // Of an address that is made of fields any of them may say where secrets go.
      const isComposed = type.composeUrl !== undefined && type.fixedService !== true;
      if (other) {
        meant.set(other, valueFor(other, true));
        await write(form, other, valueFor(other, true));
      }
      for (const secret of type.fields.filter((field) => field.secret && (isComposed || !other))) {
        await form.getByRole("button", { name: `Replace ${secret.label}` }).click();
        await write(form, secret, valueFor(secret, true));
      }
      await form.getByRole("button", { name: "Update" }).click();
      await page.getByText("Connection updated successfully").waitFor();
      isAsMeant(await rowOf());
      await open();

      // As a document it says the same.
      const { text } = (await (
        await page.request.get(`/api/documents/connection/${id}`)
      ).json()) as { text: string };
      const again = await page.request.post("/api/documents?dryRun=true&source=UI", {
        data: text,
        headers: { "content-type": "application/yaml" },
      });
      const { documents } = (await again.json()) as { documents: { outcome: string }[] };
      expect(documents.map(({ outcome }) => outcome)).toEqual(["unchanged"]);
      expect((await page.request.delete(`/api/db/connections?id=eq.${id}`)).ok()).toBe(true);
    });
});
