import type { ElementHandle, Page } from "playwright-core";
import { labelOf } from "@mainstay/ui/schema-form/schema-fields.ts";
import { stringify } from "yaml";

/**
 * Writes values into a form that a schema made, as somebody does who sees labels and controls and knows no schema: what
 * is typed where is told by the value, which control stands there by the page.
 */

type Part = ElementHandle<Element>;
type Written = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is Written =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Longer texts are pasted: twenty key strokes show what a hundred would. */
const longestTyped = 20;

/** What stands under a label in a part of a form, and in no group inside that part: a control, a group, or its toggle. */
async function find(part: Part, label: string): Promise<Part | undefined> {
  const found = await part.evaluateHandle((root, wanted) => {
    const textOf = (element: Element) => {
      const copy = element.cloneNode(true) as Element;
      // Marks are drawn as letters, and say nothing.
      for (const drawn of copy.querySelectorAll("[aria-hidden]")) drawn.remove();
      return copy.textContent.replace(/ *set$/, "").trim();
    };
    const isGroup = (element: Element) =>
      element.tagName === "FIELDSET" ||
      (element.tagName === "DIV" &&
        element.parentElement?.querySelector(":scope > button[aria-expanded]") !== null);
    const isOwn = (element: Element) => {
      for (let at = element.parentElement; at !== null && at !== root; at = at.parentElement)
        if (isGroup(at)) return false;
      return true;
    };
    const labelled = <Found extends Element>(selector: string) =>
      [...root.querySelectorAll<Found & Element>(selector)].filter(
        (element) => textOf(element) === wanted,
      );
    const own = new Set<Element>();
    for (const { htmlFor } of labelled<HTMLLabelElement>("label[for]")) {
      const control = document.getElementById(htmlFor);
      if (control && isOwn(control)) own.add(control);
    }
    for (const legend of labelled("legend"))
      if (isOwn(legend.parentElement!)) own.add(legend.parentElement!);
    for (const toggle of labelled("button[aria-expanded]")) if (isOwn(toggle)) own.add(toggle);
    for (const control of root.querySelectorAll("input, textarea, select"))
      if (control.getAttribute("aria-label") === wanted && isOwn(control)) own.add(control);
    if (own.size > 1) throw new Error(`The form has ${own.size} fields called "${wanted}".`);
    return [...own][0] ?? null;
  }, label);
  return found.asElement() ?? undefined;
}

export class FormFiller {
  readonly #page: Page;

  constructor(page: Page) {
    this.#page = page;
  }

  /** Whether a part of the form asks for this itself. */
  async has(part: Part, label: string): Promise<boolean> {
    return (await find(part, label)) !== undefined;
  }

  /** Writes each of a mapping into the field of its key; gives what the document should then say. */
  async fillAll(part: Part, values: Written): Promise<Written> {
    const meant: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(values))
      meant[key] = await this.fill(part, labelOf(key), value);
    return meant;
  }

  /** Writes a value into the field under a label; gives what the document should then say there. */
  async fill(part: Part, label: string, value: unknown): Promise<unknown> {
    const field = await find(part, label);
    if (!field) throw new Error(`The form does not ask for "${label}".`);
    const tag = await field.evaluate(({ tagName }) => tagName);
    if (tag === "BUTTON") return this.#fillGroup(field, value as Written);
    if (tag === "FIELDSET")
      return Array.isArray(value)
        ? this.#fillList(field, label, value)
        : this.#fillMap(field, label, value as Written);
    if (tag === "SELECT") return this.#choose(part, label, field, value);
    const isSourced = await field.evaluate(
      (control, name) =>
        control.parentElement?.parentElement?.querySelector(`[aria-label="Source of ${name}"]`) !=
        null,
      label,
    );
    if (isSourced) return this.#fillSourced(part, label, field, value);
    if (typeof value !== "object" || tag === "INPUT") {
      // Several in one line stand behind each other.
      const text = Array.isArray(value) ? value.join(",") : value;
      await this.#type(field, String(text));
      return text;
    }
    await field.fill(stringify(value, { lineWidth: 0 }));
    await field.press("Tab");
    return value;
  }

  async #type(field: Part, text: string): Promise<void> {
    if (text.length > longestTyped || text.includes("\n")) return field.fill(text);
    await field.selectText();
    await this.#page.keyboard.type(text);
  }

  async #fillGroup(toggle: Part, value: Written): Promise<Written> {
    if ((await toggle.getAttribute("aria-expanded")) === "false") await toggle.click();
    const inside = await toggle.evaluateHandle((button) => button.parentElement!.lastElementChild!);
    if (Object.keys(value).length > 0) return this.fillAll(inside, value);
    await (await inside.waitForSelector(":scope > button[aria-label^='Set ']")).click();
    return {};
  }

  async #fillList(group: Part, label: string, items: readonly unknown[]): Promise<unknown[]> {
    const meant: unknown[] = [];
    for (const [index, item] of items.entries()) {
      await this.#add(group, label);
      const row = await group.waitForSelector(`:scope > div:nth-of-type(${index + 1}) > div`);
      meant.push(await this.#fillItem(row, `${label} ${index + 1}`, item));
    }
    return meant;
  }

  async #fillItem(row: Part, label: string, item: unknown): Promise<unknown> {
    if ((await this.has(row, label)) || !isMap(item)) return this.fill(row, label, item);
    if (!(await this.has(row, `Name of ${label}`))) return this.fillAll(row, item);
    const { name, ...value } = item;
    await this.fill(row, `Name of ${label}`, name);
    return { name, ...((await this.fill(row, `Value of ${label}`, value)) as Written) };
  }

  async #fillMap(group: Part, label: string, map: Written): Promise<Written> {
    const meant: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(map)) {
      await this.#add(group, label);
      const field = await group.waitForSelector(`input[aria-label="New key of ${label}"]`);
      await this.#type(field, key);
      await field.press("Enter");
      meant[key] = await this.fill(group, key, value);
    }
    return meant;
  }

  async #add(group: Part, label: string): Promise<void> {
    const button = await group.$(`:scope > button[aria-label="Add to ${label}"]`);
    if (!button) throw new Error(`Nothing can be added to "${label}".`);
    await button.click();
  }

  async #choose(part: Part, label: string, field: Part, value: unknown): Promise<unknown> {
    const options = await field.evaluate((select) =>
      [...(select as HTMLSelectElement).options].map((option) => option.value),
    );
    if (options.includes(String(value))) {
      await field.selectOption(String(value));
      return value;
    }
    // A script is written in one of the languages that are offered.
    const [[language, script] = ["", ""]] = isMap(value) ? Object.entries(value) : [];
    if (language !== "" && options.includes(language)) {
      await field.selectOption(language);
      return { [language]: await this.fill(part, `Script of ${label}`, script) };
    }
    // A connection that is not stored here is written by its address.
    const write = await field.$("xpath=ancestor::div[2]/button[normalize-space()='Write one']");
    if (!write) throw new Error(`"${label}" offers ${options.join(", ")}, not ${String(value)}.`);
    await write.click();
    return this.fill(part, label, value);
  }

  async #fillSourced(part: Part, label: string, field: Part, value: unknown): Promise<unknown> {
    const { valueFrom, value: own = value } = isMap(value) ? value : {};
    if (!isMap(valueFrom)) {
      await this.#type(field, String(own));
      return { value: own };
    }
    const [[ref, selector] = ["", {}]] = Object.entries(valueFrom);
    const origin = { secretKeyRef: "Secret", configMapKeyRef: "ConfigMap" }[ref];
    if (origin === undefined) throw new Error(`"${label}" takes no ${ref}.`);
    const sources = await part.$(`[role=radiogroup][aria-label="Source of ${label}"]`);
    await (await sources!.$(`label:has-text("${origin}")`))!.click();
    const { name, key } = selector as Written;
    await this.fill(part, `${origin} of ${label}`, name);
    await this.fill(part, `Key of ${label}`, key);
    return value;
  }
}
