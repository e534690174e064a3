import { expect, test } from "vitest";
import { readableOnDark } from "../../icon-marks.ts";

const words = "rgb(14.5%, 18.4%, 24.3%)";
const drawn = (...colours: string[]) =>
  `<svg viewBox="0 0 9 9">${colours.map((colour) => `<path fill="${colour}" d="M0 0h9"/>`).join("")}</svg>`;

test("dark words beside a coloured sign are light on the dark theme", () => {
  const svg = drawn(words, "rgb(100%, 60%, 0%)");
  expect(readableOnDark(svg)).toBe(
    svg.replace(
      '9 9">',
      `9 9"><style>@media (prefers-color-scheme:dark){[fill="${words}"]{fill:#e4e7ec}[stroke="${words}"]{stroke:#e4e7ec}}</style>`,
    ),
  );
});

test.each([
  ["has none", drawn("#ff9900", "#0088ff")],
  ["has them on white", drawn("#fff", "#000", "#ff9900")],
  ["has them on yellow", drawn("rgb(100%, 84%, 4%)", "#000")],
  ["has them under a gradient", drawn("#000", "url(#a)", "#ff9900")],
])("a picture that %s stays as it is", (_, svg) => {
  expect(readableOnDark(svg)).toBe(svg);
});
