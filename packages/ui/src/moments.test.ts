import { expect, test, vi } from "vitest";

test.each(["en-US", "de-DE"])("the clock has 24 hours, also in %s", async (locale) => {
  const Format = Intl.DateTimeFormat;
  vi.spyOn(Intl, "DateTimeFormat").mockImplementation(function (_, options) {
    return new Format(locale, options);
  });
  vi.resetModules();
  const formats = await import("./moments.ts");
  vi.restoreAllMocks();
  const [early, late] = [new Date(2026, 10, 24, 0, 5, 7), new Date(2026, 10, 24, 15, 5, 7)];
  const [zero, fifteen] = [early, late].map((at) =>
    Object.entries(formats)
      .filter(([, format]) => format.formatToParts(at).some(({ type }) => type === "hour"))
      .map(([name, format]) => [name, format.format(at)]),
  );
  expect(zero).toHaveLength(5);
  for (const [name, text] of zero!) expect(text, name).toMatch(/\b00:05/);
  for (const [name, text] of fifteen!) expect(text, name).toMatch(/\b15:05/);
});
