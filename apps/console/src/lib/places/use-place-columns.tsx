import { useMemo } from "react";
import type { Column } from "@mainstay/ui/data-table/column.ts";
import { messageOf } from "../api-error.ts";
import { LazyGuest } from "./LazyGuest.tsx";
import type { GivenRow, PlaceKind } from "./place.ts";
import { useGuests } from "./use-guests.ts";

/**
 * The columns of guests, for a list of the resource. `givenOf` says what of a line guests are given: nothing for lines
 * that are none of the resource, such as groups.
 */
export function usePlaceColumns<Kind extends PlaceKind, Line>(
  kind: Kind,
  givenOf: (line: Line) => GivenRow<Kind> | undefined,
): readonly Column<Line>[] {
  const guests = useGuests(kind, "columns");
  return useMemo(
    () =>
      guests.map(({ id, header, width, align, load }): Column<Line> => ({
        id,
        header,
        width,
        ...(align && { align }),
        renderCell: (line) => {
          const given = givenOf(line);
          return (
            given && (
              <LazyGuest
                load={load}
                props={given}
                skeleton={<span className="skeleton block h-3 w-14" />}
                renderFailure={(error) => (
                  <span
                    className="text-muted"
                    data-tooltip={`${header} could not be shown\n${messageOf(error)}`}
                  >
                    –
                  </span>
                )}
              />
            )
          );
        },
      })),
    [guests, givenOf],
  );
}
