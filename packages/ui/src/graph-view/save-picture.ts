import { loadMark } from "../icon-marks.ts";
import { downloadText } from "../export/export-rows.ts";
import type { EdgeStyle } from "./graph.ts";
import type { PlacedGraph } from "./layout/plan-layout.ts";
import { inInk, isAlone } from "./mark-ink.ts";
import { drawPicture, markName, type PictureInk } from "./picture.ts";
import { saveFile } from "../export/save-file.ts";

/** More pixels a browser's canvas does not hold, nor longer sides. */
const mostPixels = 64_000_000;
const longestSide = 16_000;

export interface SaveOptions {
  format: "svg" | "png";
  /** Without its ending. */
  name: string;
  edgeStyle: EdgeStyle;
  kindLabel: (kind: string) => string;
}

/** Hands the whole graph to the browser as a file. */
export async function savePicture(
  placed: PlacedGraph,
  { format, name, edgeStyle, kindLabel }: SaveOptions,
): Promise<void> {
  const pen = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  if (!pen) throw new Error("this browser draws on no canvas");
  const measure = (text: string, size: number) => {
    pen.font = `${size}px system-ui, sans-serif`;
    return pen.measureText(text).width;
  };
  const ink = inkOf(pen);
  const marks = await loadMarks(placed, ink.muted);
  const picture = drawPicture(placed, {
    ink,
    edgeStyle,
    kindLabel,
    markOf: (kind) => marks.get(kind),
    measure,
  });
  if (format === "svg") {
    downloadText(`${name}.svg`, "image/svg+xml", picture);
    return;
  }
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(picture)}`;
  await image.decode();
  const { naturalWidth: width, naturalHeight: height } = image;
  const scale = Math.min(
    2,
    longestSide / Math.max(width, height),
    Math.sqrt(mostPixels / (width * height)),
  );
  const canvas = document.createElement("canvas");
  canvas.width = Math.floor(width * scale);
  canvas.height = Math.floor(height * scale);
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, "image/png"));
  if (!blob) throw new Error("it is too large for this browser; save it as SVG");
  saveFile(`${name}.png`, blob);
}

/** Characters of a mark; a longer one is no mark. */
const longestMark = 200_000;

/** The marks of a picture's kinds, as they lie on this server; none of one that cannot be had. */
async function loadMarks(
  { cards }: PlacedGraph,
  ink: string,
): Promise<ReadonlyMap<string, string>> {
  const kinds = new Set([...cards.values()].map(({ card }) => markName(card)));
  const found = await Promise.all(
    [...kinds].map(async (kind): Promise<readonly [string, string][]> => {
      const mark = await loadMark(kind);
      if (!mark) return [];
      const answer = await fetch(mark.address).catch(() => undefined);
      const svg = answer?.ok === true ? await answer.text() : "";
      if (svg.length > longestMark || !isAlone(svg)) return [];
      return [[kind, mark.isInked ? inInk(svg, ink) : svg]];
    }),
  );
  return new Map(found.flat());
}

/** The theme's colours, painted and read back: programs that draw SVG know no OKLCH. */
function inkOf(pen: CanvasRenderingContext2D): PictureInk {
  const style = getComputedStyle(document.documentElement);
  const colour = (token: string) => {
    pen.fillStyle = style.getPropertyValue(token);
    pen.fillRect(0, 0, 1, 1);
    const [red = 0, green = 0, blue = 0] = pen.getImageData(0, 0, 1, 1).data;
    return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
  };
  return {
    scheme: style.colorScheme,
    surface: colour("--surface"),
    raised: colour("--surface-raised"),
    sunken: colour("--surface-sunken"),
    border: colour("--border-control"),
    line: colour("--border-control"),
    text: colour("--text"),
    muted: colour("--text-muted"),
    tones: {
      healthy: colour("--healthy"),
      warning: colour("--warning"),
      unhealthy: colour("--unhealthy"),
      unknown: colour("--unknown"),
      info: colour("--info"),
    },
  };
}
