import type { CSSProperties } from "react";
import type { PlacedColumn } from "./place-columns.ts";

type Pin = PlacedColumn<unknown>["pin"];

/** Where a cell of a column that stays in view sticks. */
export const pinnedStyle = (pin: Pin): CSSProperties | undefined =>
  pin && (pin.side === "start" ? { left: pin.offset } : { right: pin.offset });

/** A line where the others pass beneath. */
export const pinnedLook = (pin: Pin): string | undefined =>
  pin?.isInnermost ? (pin.side === "start" ? "border-r" : "border-l") : undefined;
