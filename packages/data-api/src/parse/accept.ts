import { ApiError } from "../errors.ts";

export type Shape = "array" | "object";

const shapes: Record<string, Shape> = {
  "*/*": "array",
  "application/*": "array",
  "application/json": "array",
  "application/vnd.pgrst.array": "array",
  "application/vnd.pgrst.array+json": "array",
  "application/vnd.pgrst.object": "object",
  "application/vnd.pgrst.object+json": "object",
};

/** The shape of answer that `Accept` asks for most. */
export function parseAccept(header: string | undefined): Shape {
  if (header === undefined || header.trim() === "") return "array";
  const wanted = header
    .split(",")
    .map((part) => {
      const [type = "", ...parameters] = part.split(";").map((piece) => piece.trim().toLowerCase());
      const quality = Number(
        parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1,
      );
      return { type, quality: Number.isFinite(quality) ? quality : 1 };
    })
    .filter(({ quality }) => quality > 0)
    .sort((left, right) => right.quality - left.quality);
  for (const { type } of wanted) {
    const shape = shapes[type];
    if (shape) return shape;
  }
  throw new ApiError(
    406,
    "PGRST107",
    `None of these media types are available: ${wanted.map(({ type }) => type).join(", ")}`,
  );
}
