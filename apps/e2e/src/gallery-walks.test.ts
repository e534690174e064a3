// Takes long: whole components are walked key by key.
import type { Locator, Page } from "playwright-core";
import { sample } from "@mainstay/testkit/sample.ts";
import { expect } from "vitest";
import { journey, journeys } from "./journey.ts";

/** What floats, and what is chosen, by keyboard alone. */

/** The element that has the keyboard, by its name. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: element } = document;
    return element?.getAttribute("aria-label") ?? element?.textContent?.trim() ?? "";
  });

const holdsFocus = (element: Locator) =>
  element.evaluate((node) => node.contains(document.activeElement));

const toast = (page: Page, text: string) =>
  page.getByRole("region", { name: "Notifications" }).getByText(text, { exact: true });

journeys("by keyboard alone", () => {
  journey(
    "a dialog of each size holds the keyboard, grows, and gives it back",
    async ({ openPart }) => {
      const page = await openPart("overlays", { width: 1600 });
      const widths: number[] = [];
      const sizes = ["very-small", "small", "medium", "large", "full"];
      const walked = sample(sizes, 1);
      for (const size of sizes) {
        const opener = page.getByRole("button", { name: size, exact: true });
        await opener.focus();
        await page.keyboard.press("Enter");
        const dialog = page.getByRole("dialog", { name: `A ${size} dialog` });
        await dialog.waitFor();
        const width = () => dialog.evaluate((node) => node.getBoundingClientRect().width);
        widths.push(await width());
        // What is typed into is ready for it.
        await expect
          .poll(() => dialog.getByLabel("Name").evaluate((node) => node.matches(":focus")))
          .toBe(true);

        for (const key of walked.includes(size) ? ["Tab", "Shift+Tab"] : []) {
          const seen = new Set<string>();
          for (let step = 0; step < 12; step += 1) {
            await page.keyboard.press(key);
            // At its end the keyboard is brought back a moment later.
            await expect
              .poll(() => holdsFocus(dialog), { message: `${key} ${step} of ${size}` })
              .toBe(true);
            seen.add(await focused(page));
          }
          expect([...seen]).toEqual(
            expect.arrayContaining(["Help", "Expand", "Close", "Cancel", "Save"]),
          );
        }
        const help = dialog.getByRole("link", { name: "Help" });
        expect([await help.getAttribute("target"), await help.getAttribute("rel")]).toEqual([
          "_blank",
          "noreferrer",
        ]);

        const before = await width();
        await dialog.getByRole("button", { name: "Expand" }).focus();
        await page.keyboard.press("Enter");
        await dialog.getByRole("button", { name: "Restore size" }).waitFor();
        // One that is as large as the window, but for its edge, takes that too.
        await expect.poll(() => width()).toBe(size === "full" ? 1600 : 1600 - 32);
        await page.keyboard.press("Enter");
        await expect.poll(() => width()).toBe(before);

        await page.keyboard.press("Escape");
        await dialog.waitFor({ state: "detached" });
        await expect.poll(() => focused(page)).toBe(size);
      }
      expect(widths).toEqual([380, 520, 760, 1040, 1568]);
    },
  );

  journey(
    "of two dialogs Escape closes the upper one, and what was typed stays",
    async ({ openPart }) => {
      const page = await openPart("overlays");
      await page.getByRole("button", { name: "medium", exact: true }).click();
      const lower = page.getByRole("dialog", { name: "A medium dialog" });
      await lower.getByLabel("Name").fill("web");
      await lower.getByRole("button", { name: "Open another on top" }).focus();
      await page.keyboard.press("Enter");
      const upper = page.getByRole("dialog", { name: "On top" });
      await upper.waitFor();
      await page.keyboard.press("Escape");
      await upper.waitFor({ state: "detached" });
      await expect.poll(() => focused(page)).toBe("Open another on top");
      await expect.poll(() => lower.getByLabel("Name").inputValue()).toBe("web");
      // A press beside a dialog that is typed into does not throw away what was typed.
      await page.mouse.click(5, 5);
      await expect.poll(() => lower.getByLabel("Name").inputValue()).toBe("web");
      await page.keyboard.press("Escape");
      await lower.waitFor({ state: "detached" });
    },
  );

  journey(
    "a dialog with more than fits scrolls inside, with its buttons in view",
    async ({ openPart }) => {
      const page = await openPart("overlays", { width: 390, height: 600 });
      await page.getByRole("button", { name: "More than fits" }).click();
      const dialog = page.getByRole("dialog");
      const close = dialog.getByRole("button", { name: "Close", exact: true }).last();
      await close.waitFor();
      const box = (await close.boundingBox())!;
      expect(box.y + box.height).toBeLessThanOrEqual(600);
      await dialog.getByText("Paragraph 60").scrollIntoViewIfNeeded();
      expect(await close.boundingBox()).toEqual(box);
    },
  );

  journey("a question before something is lost starts at Cancel", async ({ openPart }) => {
    const page = await openPart("feedback");
    await page.getByRole("button", { name: "Delete …" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: /Delete the connection/ });
    await dialog.waitFor();
    await expect.poll(() => focused(page)).toBe("Cancel");
    await page.keyboard.press("Tab");
    await expect.poll(() => focused(page)).toBe("Delete");
    await page.keyboard.press("Enter");
    // While it works it cannot be asked again.
    await expect
      .poll(() => dialog.getByRole("button", { name: "Deleting" }).isDisabled())
      .toBe(true);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe("Delete …");
  });

  journey("a menu is opened, walked, searched by letters, and left", async ({ openPart }) => {
    const page = await openPart("overlays");
    const opener = page.getByRole("button", { name: "Actions" });
    await opener.focus();
    await page.keyboard.press("Enter");
    const menu = page.getByRole("menu", { name: "Actions" });
    await menu.waitFor();
    const highlighted = () => menu.locator("[data-highlighted]").allTextContents();
    await expect.poll(highlighted).toEqual(["Edit"]);
    await page.keyboard.press("ArrowDown");
    await expect.poll(highlighted).toEqual(["Copy"]);
    await page.keyboard.press("End");
    await expect.poll(highlighted).toEqual(["owner"]);
    await page.keyboard.press("ArrowDown");
    await expect.poll(highlighted).toEqual(["Edit"]);
    await page.keyboard.press("d");
    await page.keyboard.press("a");
    await expect.poll(highlighted).toEqual(["Dark"]);
    // A choice and a check leave the menu open.
    await page.keyboard.press("Enter");
    await expect
      .poll(() => menu.getByRole("menuitemradio", { name: "Dark" }).isChecked())
      .toBe(true);
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await expect
      .poll(() => menu.getByRole("menuitemcheckbox", { name: "owner" }).isChecked())
      .toBe(true);
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toBe("Actions");
    await page.keyboard.press("Enter");
    await menu.waitFor();
    await expect.poll(highlighted).toEqual(["Edit"]);
    await page.keyboard.press("Enter");
    await toast(page, "Edit").waitFor();
    await menu.waitFor({ state: "detached" });
  });

  journey.for([1440, 390])(
    "a menu is at most 800 pixels wide, and fits %d",
    async (width, { openPart }) => {
      const page = await openPart("overlays", { width, height: 700 });
      await page.getByRole("button", { name: "A very wide menu" }).click();
      const menu = page.getByRole("menu");
      await menu.waitFor();
      await expect
        .poll(() => menu.evaluate((node) => node.getBoundingClientRect().width))
        .toBe(Math.min(800, width - 16));
      const box = (await menu.boundingBox())!;
      expect(box.x).toBeGreaterThanOrEqual(0);
      expect(box.y + box.height).toBeLessThanOrEqual(700);
      await page.keyboard.press("End");
      await menu
        .getByRole("menuitem", { name: /^40\./ })
        .and(page.locator("[data-highlighted]"))
        .waitFor();
    },
  );

  journey("tabs are one stop, and those beyond the edge come into view", async ({ openPart }) => {
    const page = await openPart("basics", { width: 390 });
    const list = page.getByRole("tablist", { name: "More than fit" });
    await list.getByRole("tab", { name: "namespace-0", exact: true }).focus();
    await page.keyboard.press("End");
    const last = list.getByRole("tab", { name: "namespace-29" });
    await expect.poll(() => last.getAttribute("aria-selected")).toBe("true");
    await expect.poll(async () => (await last.boundingBox())!.x).toBeLessThan(390);
    await page.getByRole("tabpanel", { name: "namespace-29" }).waitFor();
    await page.keyboard.press("Tab");
    await expect.poll(() => holdsFocus(list)).toBe(false);
  });

  journey("a choice is made from a list with letters and arrows", async ({ openPart }) => {
    const page = await openPart("filters");
    const select = page.getByRole("combobox", { name: "Group by" });
    await select.focus();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => select.inputValue()).toBe("name");
    // The next one cannot be chosen.
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => select.inputValue()).toBe("name");
    await page.keyboard.type("no");
    await expect.poll(() => select.inputValue()).toBe("none");
  });

  journey(
    "a range of time is written, taken from the calendar, and offered again",
    async ({ openPart }) => {
      const page = await openPart("filters");
      const picker = page.getByRole("button", { name: "relative: Last hour" });
      await picker.focus();
      await page.keyboard.press("Enter");
      const box = page.getByRole("textbox", { name: "Range" });
      await box.waitFor();
      await expect.poll(() => box.evaluate((node) => node.matches(":focus"))).toBe(true);
      await page.keyboard.type("now-2d");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "relative: Last 2 days" }).waitFor();
      await expect.poll(() => focused(page)).toBe("relative: Last 2 days");

      await page.keyboard.press("Enter");
      await page.getByRole("region", { name: "Recently used" }).getByText("Last 2 days").waitFor();
      await page.getByRole("button", { name: "Calendar" }).focus();
      await page.keyboard.press("Enter");
      const days = page.getByRole("grid");
      await days.getByRole("button").first().focus();
      await page.keyboard.press("Enter");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      const submit = page.getByRole("button", { name: "Submit" });
      await expect.poll(() => submit.isEnabled()).toBe(true);
      await submit.focus();
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: /^relative: .+–/ }).waitFor();
    },
  );

  journey(
    "a resource is searched, chosen, taken out; a failure can be tried again",
    async ({ openPart }) => {
      const page = await openPart("fields");
      const box = page.getByRole("combobox", { name: "Resource", exact: true });
      await box.focus();
      await page.keyboard.type("checkout-1");
      await page
        .getByRole("option", { name: /^checkout-1\b/ })
        .first()
        .waitFor();
      await page.keyboard.press("Enter");
      const chosen = page
        .getByRole("toolbar", { name: "Chosen for Resource", exact: true })
        .getByRole("button", { name: "Remove checkout-1", exact: true });
      await chosen.waitFor();
      await expect.poll(() => box.evaluate((node) => node.matches(":focus"))).toBe(true);
      await page.keyboard.press("Backspace");
      await chosen.waitFor({ state: "detached" });
      await page.keyboard.type("fail");
      await page.getByText("Network Error. Please try again.").waitFor();
      await page.getByRole("button", { name: "Try again" }).waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("listbox").waitFor({ state: "detached" });
    },
  );

  journey("a command is found and chosen", async ({ openPart }) => {
    const page = await openPart("overlays");
    await page.getByRole("button", { name: "Search", exact: true }).focus();
    await page.keyboard.press("Enter");
    const box = page.getByRole("combobox", { name: "Search everything" });
    await box.waitFor();
    await page.keyboard.type("check 1");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await toast(page, "Chosen: check-10").waitFor();
    await box.waitFor({ state: "detached" });
  });

  journey("what is copied is copied, and said", async ({ openPart }) => {
    const page = await openPart("feedback");
    await page.getByRole("button", { name: "Copy", exact: true }).focus();
    await page.keyboard.press("Enter");
    await toast(page, "Copied to clipboard").waitFor();
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe("copied");
    await page.getByRole("button", { name: "Copy id" }).click();
    await toast(page, "Copied id to clipboard").waitFor();
  });

  journey("a toast leaves after 5 seconds, a failure when it was read", async ({ openPart }) => {
    const page = await openPart("feedback");
    await page.clock.install();
    await page.getByRole("button", { name: "Failed", exact: true }).click();
    await page.getByRole("button", { name: "Done" }).focus();
    await page.keyboard.press("Enter");
    await toast(page, "Agent created").waitFor();
    await page.clock.fastForward(4_800);
    await expect.poll(() => toast(page, "Agent created").isVisible()).toBe(true);
    await page.clock.fastForward(300);
    await toast(page, "Agent created").waitFor({ state: "detached" });
    await page.clock.fastForward(600_000);
    await toast(page, "Network Error. Please try again.").waitFor();
    await page.getByRole("button", { name: "Dismiss" }).focus();
    await page.keyboard.press("Enter");
    await toast(page, "Network Error. Please try again.").waitFor({ state: "detached" });
  });

  journey(
    "a tooltip comes with the keyboard at once, and goes with Escape",
    async ({ openPart }) => {
      const page = await openPart("basics");
      // The keyboard was used last: only then is where it stands shown.
      await page.getByRole("tab", { selected: true }).first().focus();
      await page.keyboard.press("Tab");
      await page.getByRole("button", { name: "Hover or focus me" }).focus();
      const tip = page.locator(".floating", { hasText: "One line" });
      await tip.waitFor();
      await page.keyboard.press("Escape");
      await tip.waitFor({ state: "detached" });
      await page.getByText("Disabled, and why").hover({ force: true });
      await page.locator(".floating", { hasText: "You need the role editor" }).waitFor();
    },
  );
});
