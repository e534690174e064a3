import { provideMarks } from "@mainstay/ui/icon-marks.ts";

/** Lets icons be drawn with the marks of technologies, whose list is fetched when the first of them is wanted. */
export function offerIconMarks(): void {
  provideMarks(async () => {
    const { folder, coloured, inked } = await import("virtual:icon-marks");
    return {
      coloured: coloured.split(" "),
      inked: inked.split(" "),
      addressOf: (mark) => `${folder}${mark}.svg`,
    };
  });
}
