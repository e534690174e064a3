import type uPlot from "uplot";

const none = null;

/** How moments are written along the axis, by the distance of the ticks in seconds (uPlot's own scheme, 24 hours). */
export const timeFormats: uPlot.Axis.Values = [
  [31_536_000, "{YYYY}", none, none, none, none, none, none, 1],
  [2_419_200, "{MMM}", "\n{YYYY}", none, none, none, none, none, 1],
  [86_400, "{D} {MMM}", "\n{YYYY}", none, none, none, none, none, 1],
  [60, "{HH}:{mm}", "\n{D} {MMM} {YYYY}", none, "\n{D} {MMM}", none, none, none, 1],
  [1, "{HH}:{mm}:{ss}", "\n{D} {MMM} {YYYY}", none, "\n{D} {MMM}", none, none, none, 1],
  [
    0.001,
    ":{ss}.{fff}",
    "\n{D} {MMM} {HH}:{mm}",
    none,
    "\n{D} {MMM} {HH}:{mm}",
    none,
    "\n{HH}:{mm}",
    none,
    1,
  ],
];
