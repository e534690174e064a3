import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";

/** Says what has the focus and whether it can be seen. */
const readFocus = (page: Page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    // An editor lives in a tree of its own.
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    if (!element || element === document.body) return { what: "nothing", isVisible: false };
    const isMarked = (one: Element) => {
      const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(one);
      return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
    };
    // An entry of a menu is marked by its colour; an editor by the line around it; a hidden box by what stands for it.
    const tree = element.getRootNode();
    const around = [element, element.parentElement, element.nextElementSibling].concat(
      element.closest("tr"),
      tree instanceof ShadowRoot ? tree.host.parentElement : null,
    );
    return {
      what: `${element.tagName} ${element.getAttribute("aria-label") ?? element.textContent?.slice(0, 60) ?? ""} ${element.className}`,
      isVisible:
        element.matches("[data-highlighted]") || around.some((one) => one && isMarked(one)),
    };
  });

/** The focus is somewhere, and whoever looks finds it. */
export async function expectVisibleFocus(page: Page): Promise<void> {
  const { what, isVisible } = await readFocus(page);
  expect(`${what}: ${isVisible ? "visible" : "not visible"}`).toMatch(/: visible$/);
}

export const hasFocus = (wanted: Locator): Promise<boolean> =>
  wanted
    .first()
    .evaluate(
      (element) => (element.getRootNode() as Document | ShadowRoot).activeElement === element,
      undefined,
      { timeout: 10_000 },
    );

/** The focus comes to what is wanted by itself, as it does when a dialog opens or closes. */
export async function expectFocus(wanted: Locator): Promise<void> {
  await expect
    .poll(() => hasFocus(wanted), { message: String(wanted), timeout: 10_000 })
    .toBe(true);
}

/** Walks with Tab until the focus is on what is wanted; it can be seen on the way. */
export async function tabTo(page: Page, wanted: Locator, key = "Tab"): Promise<void> {
  await wanted.first().waitFor();
  let rounds = 0;
  for (let steps = 0; steps < 80; steps += 1) {
    if (await hasFocus(wanted)) return;
    await page.keyboard.press(key);
    // Behind the last thing of the page lies the browser itself, once on the way round.
    if ((await readFocus(page)).what === "nothing" && rounds === 0) rounds += 1;
    else await expectVisibleFocus(page);
  }
  throw new Error(`${String(wanted)} cannot be reached with ${key}.`);
}

/** Goes somewhere by the command palette. */
export async function goBy(page: Page, words: string, address: RegExp): Promise<void> {
  await page.keyboard.press("Control+k");
  await expectFocus(page.getByRole("combobox", { name: /Search pages/ }));
  await page.keyboard.type(words);
  await page.getByRole("option", { name: words }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(address);
}
