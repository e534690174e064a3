import { expect, test } from "vitest";
import { foldGraph } from "./fold-graph.ts";
import type { GraphNode } from "./graph.ts";
import { layOutByDagre } from "./layout/dagre-layout.ts";
import { planLayout } from "./layout/plan-layout.ts";
import { inInk, isAlone } from "./mark-ink.ts";
import { clip, drawPicture } from "./picture.ts";

const ink = {
  scheme: "dark",
  surface: "#ffffff",
  raised: "#fefefe",
  sunken: "#eeeeee",
  border: "#888888",
  line: "#777777",
  text: "#111111",
  muted: "#555555",
  tones: { healthy: "#0a0", warning: "#a60", unhealthy: "#a00", unknown: "#666", info: "#06a" },
};
const tenEach = (text: string) => Array.from(text).length * 10;

test.each([
  ["short", 50, "short"],
  ["longer than that", 50, "long…"],
  ["👩‍👩‍👧‍👦 and more", 20, "…"],
  ["", 0, ""],
])("%s in %d is %s", (text, width, shown) => {
  expect(clip(text, width, tenEach)).toBe(shown);
});

test("a picture holds every card and line, and nothing that was not meant as text", () => {
  const nodes: GraphNode[] = [
    { id: "root", kind: "x", title: '<script>alert("1")</script>&\u0000' },
    ...Array.from({ length: 4 }, (_, index) => ({
      id: `p${index}`,
      kind: "Pod",
      title: `pod ${index}`,
      tone: index === 0 ? ("unhealthy" as const) : ("healthy" as const),
      toneLabel: "running",
      note: "3 changes",
      tags: ["web"],
    })),
    { id: "soft", kind: "y", title: "soft" },
  ];
  const edges = [
    ...nodes.slice(1, 5).map(({ id }) => ({ from: "root", to: id })),
    { from: "root", to: "soft", isSoft: true },
  ];
  const shown = foldGraph(nodes, edges, { root: "root", toggled: new Set(), most: 100 });
  const { task, place } = planLayout(shown, {
    direction: "right",
    rankSeparation: 120,
    nodeSeparation: 100,
  });
  const picture = drawPicture(place(layOutByDagre(task)), {
    ink,
    edgeStyle: "bezier",
    kindLabel: (kind) => kind,
    markOf: (kind) => (kind === "Pod" ? `<svg xmlns="http://www.w3.org/2000/svg"/>` : undefined),
    measure: (text, size) => (text.length * size) / 2,
  });
  expect(picture).not.toContain("<script");
  expect(picture).not.toContain("\u0000");
  expect(picture).toContain("&lt;script&gt;alert(&quot;1&quot;)");
  // The root, the group of four, what is tied softly; a line to each.
  expect(picture.match(/<g transform/g)).toHaveLength(3);
  expect(picture.match(/<path [^>]*fill="none"/g)).toHaveLength(2);
  expect(picture.match(/stroke-dasharray/g)).toHaveLength(1);
  expect(picture).toContain(`stroke="${ink.tones.unhealthy}"`);
  expect(picture).toMatch(/^<svg [^>]*style="color-scheme:dark">/);
  // A mark for each kind, in the picture itself; a letter where there is none.
  expect(picture.match(/<image /g)).toHaveLength(1);
  expect(picture.match(/<use href="#mark-\d"/g)).toHaveLength(3);
  expect(picture).toMatch(/<g id="mark-0">.*>X<\/text>/);
  // Nothing from anywhere.
  expect(picture.match(/https?:[^"]*/g)).toEqual(["http://www.w3.org/2000/svg"]);
});

test.each([
  [
    '<svg><path fill="black" stroke="none"/></svg>',
    true,
    '<svg fill="#123"><path fill="#123" stroke="none"/></svg>',
  ],
  [
    '<svg fill="none"><path stroke="currentColor"/></svg>',
    true,
    '<svg fill="none"><path stroke="#123"/></svg>',
  ],
  ['<svg><use href="#a"/></svg>', true, '<svg fill="#123"><use href="#a"/></svg>'],
  ['<svg><image href="https://example.org/a.png"/></svg>', false, undefined],
  ['<svg><path fill="url(//example.org/a)"/></svg>', false, undefined],
  ["<html>", false, undefined],
])("the mark %s stands alone: %s", (svg, isOwn, inked) => {
  expect(isAlone(svg)).toBe(isOwn);
  if (inked !== undefined) expect(inInk(svg, "#123")).toBe(inked);
});
