import { type MarkPart, provideMarks } from "@mainstay/ui/icon-marks.ts";

const parts = {
  aws: () => import("virtual:icon-marks/aws"),
  azure: () => import("virtual:icon-marks/azure"),
  gcp: () => import("virtual:icon-marks/gcp"),
  other: () => import("virtual:icon-marks/other"),
} satisfies Record<MarkPart, unknown>;

const listed = (names: string) => (names === "" ? [] : names.split(" "));

/** Lets icons be drawn with the marks of technologies, whose lists are fetched when the first of theirs is wanted. */
export function offerIconMarks(): void {
  provideMarks(async (part) => {
    const { folder, coloured, inked } = await parts[part]();
    return {
      coloured: listed(coloured),
      inked: listed(inked),
      addressOf: (mark) => `${folder}${mark}.svg`,
    };
  });
}
