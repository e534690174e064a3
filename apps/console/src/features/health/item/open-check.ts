import { formatRange, parseRange, type TimeRange } from "@mainstay/ui/time-range/time-range.ts";
import type { UrlCodec } from "#lib/url-state.ts";

/** Which check is open on a page of another feature, as the address says. */
export interface OpenCheck {
  checkId: string | undefined;
  checkTab: string;
  checkRange: TimeRange | undefined;
}

const firstTab = "history";

/** What the dialog of a check keeps in the address (`history-view.ts`): it goes with it. */
const ofOpenCheck = Object.fromEntries(
  ["Status", "Duration", "Page", "Size", "Sort"].map((name) => [`history${name}`, undefined]),
);

export const openCheckCodec: UrlCodec<OpenCheck> = {
  parse: (raw) => ({
    checkId: raw["checkId"] || undefined,
    checkTab: raw["checkTab"] || firstTab,
    checkRange: raw["checkId"] ? parseRange(raw["checkRange"] ?? "") : undefined,
  }),
  format: ({ checkId, checkTab, checkRange }) => ({
    ...(checkId === undefined && ofOpenCheck),
    checkId,
    checkTab: checkId === undefined || checkTab === firstTab ? undefined : checkTab,
    checkRange: checkId === undefined || !checkRange ? undefined : formatRange(checkRange),
  }),
};

export const noCheck: OpenCheck = {
  checkId: undefined,
  checkTab: firstTab,
  checkRange: undefined,
};
