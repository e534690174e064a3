import type { CheckSummary } from "@mainstay/contract/health.ts";
import type { CheckRowDetail } from "./dialog/queries.ts";

declare module "#lib/places/place.ts" {
  interface PlaceData {
    /** The dialog of a check, and the list of checks. */
    check: { given: { check: CheckRowDetail }; row: { check: CheckSummary } };
  }
}
