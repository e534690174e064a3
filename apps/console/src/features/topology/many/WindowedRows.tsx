import { type RefObject, type ReactNode } from "react";
import {
  type LineWindow,
  useWindow,
  type WindowOptions,
} from "@mainstay/ui/data-table/use-window.ts";

export interface WindowedRowsProps {
  scroller: RefObject<HTMLDivElement | null>;
  options: WindowOptions;
  children: (rows: Rows) => ReactNode;
}

/** Which rows are drawn, and how one comes into view. */
export type Rows = Pick<LineWindow, "start" | "end" | "before" | "after"> &
  Pick<ReturnType<typeof useWindow>, "scrollTo" | "measure">;

/** Rows of which only those in view are drawn. */
export const WindowedRows = ({ scroller, options, children }: WindowedRowsProps) =>
  children(useWindow(scroller, options));
