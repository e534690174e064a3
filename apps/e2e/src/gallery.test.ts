// Takes long: every part is looked at by axe, in both themes.
import { amount, isWhole } from "@mainstay/testkit/sample.ts";
import { describe, expect } from "vitest";
import { accessibilityFindings } from "./axe.ts";
import { builtConsole, type BuiltFile, partShown } from "./gallery-server.ts";
import { journey, journeys } from "./journey.ts";

/** Every part of the ui package in a browser: whom it bars, what it loads, and that it keeps to what people asked for. */

const parts = [
  "basics",
  "feedback",
  "overlays",
  "filters",
  "fields",
  "tables",
  "code",
  "logs",
  "charts",
  "graphs",
];

/** Where axe looks at every part: each theme and each width, and in a whole walk each with each. */
const inspected = new Set(
  ["light 1440", "dark 390", "light 390", "dark 1440"].slice(0, amount(4, 2)),
);

/** What a page must not bring along before it is wanted, by the packages that make it heavy. */
const heavy = [
  "../../packages/ui/src/yaml-editor/CodeMirrorEditor.tsx",
  "../../packages/ui/src/timeline-chart/TimelineChart.tsx",
  "../../packages/ui/src/graph-view/GraphView.tsx",
  "../../packages/ui/src/log-view/LogLines.tsx",
  "../../packages/ui/src/code-view/CodeLines.tsx",
  "../../packages/ui/src/diff-view/DiffLines.tsx",
  "../../packages/ui/src/json-view/JsonTree.tsx",
  "../../packages/ui/src/choice/ChoiceBox.tsx",
  "../../packages/ui/src/popups/MenuPopup.tsx",
  "../../packages/ui/src/popups/PopoverPopup.tsx",
  "../../packages/ui/src/time-range/TimeRangePanel.tsx",
  "../../packages/ui/src/time-range/RangeCalendar.tsx",
  "../../packages/ui/src/yaml-editor/schema-language.ts",
];

/** A file of a build and all that comes with it at once. */
function loadedWith(manifest: Record<string, BuiltFile>, key: string): Set<string> {
  const files = new Set<string>();
  const add = (name: string) => {
    const built = manifest[name];
    if (!built || files.has(built.file)) return;
    files.add(built.file);
    for (const other of built.imports ?? []) add(other);
  };
  add(key);
  return files;
}

/** What makes the page scroll sideways. */
function tooWide(): string[] {
  return ["html", "main"].filter((name) => {
    const element = document.querySelector(name);
    return !element || element.scrollWidth > element.clientWidth;
  });
}

journeys("the gallery", () => {
  journey("is there in development, and not in what is delivered", ({ gallery }) => {
    const delivered = builtConsole("production");
    const inGallery = (manifest: object) =>
      Object.keys(manifest).filter((name) => name.startsWith("src/gallery/"));
    expect(inGallery(gallery.built.manifest).length).toBeGreaterThanOrEqual(parts.length);
    expect(inGallery(delivered.manifest)).toEqual([]);
    expect(Object.keys(delivered.manifest)).toContain("index.html");
  });

  journey("what is heavy is fetched when it is wanted, not with a page", ({ gallery }) => {
    const { manifest } = gallery.built;
    const atOnce = ["index.html", "src/gallery/Gallery.tsx"].concat(
      ["Basics", "Feedback", "Overlays", "Filters", "Fields", "Tables", "Code", "Logs"].map(
        (part) => `src/gallery/${part}.tsx`,
      ),
    );
    for (const page of atOnce) {
      const files = loadedWith(manifest, page);
      expect(files.size, page).toBeGreaterThan(0);
      for (const module of heavy) {
        // The chart of the gallery is part of its own page; the console loads its own on demand.
        if (module.includes("TimelineChart")) continue;
        expect(manifest[module], module).toMatchObject({ isDynamicEntry: true });
        expect(files.has(manifest[module]!.file), `${page} brings ${module}`).toBe(false);
      }
    }
  });

  describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
    journey(
      "bars nobody, on a desk and on a phone, and stays within the screen",
      async ({ openPart }) => {
        const found: string[] = [];
        const page = await openPart("basics", { theme });
        // Half of them in each theme, unless all is wanted.
        const isMine = (part: string) =>
          isWhole || parts.indexOf(part) % 2 === (theme === "light" ? 0 : 1);
        for (const part of parts) {
          // What fits does so in both themes: one of them tells it of all parts.
          if (theme === "dark" && !isMine(part)) continue;
          await page.setViewportSize({ width: 1440, height: 900 });
          await page.goto(`/gallery?part=${part}`);
          await partShown(page);
          for (const width of [1440, 1024, 390]) {
            if (!isWhole && theme === "dark" && !inspected.has(`${theme} ${width}`)) continue;
            await page.setViewportSize({ width, height: 900 });
            // The layout follows the width a moment later.
            await expect
              .poll(() => page.evaluate(tooWide), { message: `${part} at ${width}` })
              .toEqual([]);
            if (!inspected.has(`${theme} ${width}`)) continue;
            if (!isMine(part)) continue;
            const names = await accessibilityFindings(page);
            found.push(...names.map((name) => `${part} at ${width}: ${name}`));
          }
        }
        expect(found).toEqual([]);
      },
    );

    journey("what opens bars nobody either", async ({ openPart }) => {
      const openers: [part: string, button: string, shown: string][] = [
        ...["very-small", "small", "medium", "large", "full"].map(
          (size): [string, string, string] => ["overlays", size, "dialog"],
        ),
        ["overlays", "More than fits", "dialog"],
        ["overlays", "Actions", "menu"],
        ["overlays", "A very wide menu", "menu"],
        ["overlays", "Labels", "dialog"],
        ["overlays", "Search", "dialog"],
        ["feedback", "Delete …", "dialog"],
        ["feedback", "Done", "status"],
        ["feedback", "Failed at length", "alert"],
        ["filters", "Type: AWS::EC2::Instance, !a, b and c", "dialog"],
        ["filters", "absolute: Jan", "dialog"],
        ["fields", "Open the list for Events", "listbox"],
        ["fields", "Open the list for Resource", "listbox"],
        ["tables", "Columns and export", "menu"],
      ];
      const found: string[] = [];
      const page = await openPart("overlays", { theme });
      // A quarter of them, in one of the themes each, unless all is wanted.
      const some = openers.filter((_, at) => isWhole || at % 8 === (theme === "light" ? 0 : 4));
      for (const [part, button, shown] of some) {
        await page.goto(`/gallery?part=${part}`);
        await page
          .getByRole("button", { name: button, exact: !button.startsWith("absolute") })
          .first()
          .click();
        await page.locator(`[role=${shown}]:visible`).last().waitFor();
        const calendar = page.getByRole("button", { name: "Calendar" });
        if (await calendar.isVisible()) {
          await calendar.click();
          await page.getByRole("grid").first().waitFor();
        }
        const names = await accessibilityFindings(page);
        found.push(
          ...names
            // Base UI hides what is around an open list from assistive technology, as VoiceOver needs it, and closes
            // the list when the keyboard goes there: nothing hidden ever has the focus.
            .filter((name) => shown !== "listbox" || !name.startsWith("aria-hidden-focus"))
            .map((name) => `${part}, ${button}: ${name}`),
        );
      }
      expect(found).toEqual([]);
    });
  });

  journey("who wants less motion has none", async ({ openPart }) => {
    for (const [part, selector] of [
      ["feedback", ".skeleton"],
      ["basics", "[role=switch] .transition-colors"],
    ] as const) {
      const page = await openPart(part);
      const seconds = () =>
        page
          .locator(selector)
          .first()
          .evaluate((element) => {
            const { animationDuration, transitionDuration } = getComputedStyle(element);
            return Math.max(
              Number.parseFloat(animationDuration),
              Number.parseFloat(transitionDuration),
            );
          });
      expect(await seconds(), part).toBeLessThan(0.001);
      await page.emulateMedia({ reducedMotion: "no-preference" });
      expect(await seconds(), part).toBeGreaterThan(0.1);
    }
  });

  journey("rows are as high as was asked for, and stay so", async ({ openPart }) => {
    const page = await openPart("tables");
    const heights = (of: string) =>
      page
        .getByRole("grid", { name: of })
        .locator("tbody tr[data-row-id]")
        .evaluateAll((rows) => [...new Set(rows.map((row) => row.getBoundingClientRect().height))]);
    const skeleton = () =>
      page
        .locator("[data-show=loading] output > div")
        .first()
        .evaluate((row) => row.getBoundingClientRect().height);
    expect([await heights("Jobs"), await skeleton()]).toEqual([[35], 35]);
    await page.getByRole("button", { name: "Compact rows" }).click();
    // A row that is put elsewhere while it is asked has no height.
    await expect
      .poll(async () => [await heights("Jobs"), await heights("Pages"), await skeleton()])
      .toEqual([[28], [28], 28]);
    await page.reload();
    await page.getByRole("row").nth(1).waitFor();
    await expect.poll(() => heights("Jobs")).toEqual([28]);
  });

  journey("a theme is chosen, seen at once and kept", async ({ openPart }) => {
    const page = await openPart("basics");
    const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await ground();
    await page.getByRole("button", { name: "Dark theme" }).click();
    const dark = await ground();
    expect(dark).not.toBe(light);
    await page.reload();
    await page.getByRole("button", { name: "Light theme" }).waitFor();
    await expect.poll(() => ground()).toBe(dark);
  });

  journey(
    "marks are fetched as they are shown, and a letter stands in for the others",
    async ({ openPart }) => {
      const page = await openPart("basics");
      const icons = page.locator("[data-show=icons]");
      await icons.locator("img[src*='k8s']").first().waitFor();
      const asked = () =>
        page.evaluate(
          () =>
            performance.getEntriesByType("resource").filter(({ name }) => name.endsWith(".svg"))
              .length,
        );
      await expect.poll(asked).toBeGreaterThan(3);
      expect(await asked()).toBeLessThan(30);
      const unknown = icons.locator("span", { hasText: /^ssomething nobody knows$/ });
      await expect.poll(() => unknown.locator("img").count()).toBe(0);
    },
  );
});
