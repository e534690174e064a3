import type { RefObject } from "react";
import { usePageKey } from "./use-page-key.ts";

/** `/` moves to the page's search field; an open dialog keeps its keys. */
export function useSearchKey(field: RefObject<HTMLInputElement | null>): void {
  usePageKey("/", (event) => {
    if (document.querySelector("[role=dialog]")) return;
    event.preventDefault();
    field.current?.focus();
    field.current?.select();
  });
}
