import { lazy, Suspense } from "react";
import type { Notice } from "#lib/page.ts";
import { useAccess } from "#lib/use-access.ts";

/** What features have to say on every page, to whom it concerns; most of the time nothing. */
export function Notices({ notices }: { notices: readonly Notice[] }) {
  const { may } = useAccess();
  return notices
    .filter(({ write }) => may("write", write))
    .map(({ name, load }) => {
      const Shown = shownBy(name, load);
      return (
        <Suspense key={name}>
          <Shown />
        </Suspense>
      );
    });
}

const known = new Map<string, ReturnType<typeof lazy>>();

function shownBy(name: string, load: Notice["load"]) {
  let shown = known.get(name);
  if (!shown) {
    // What cannot be fetched is not said, and the page stays.
    shown = lazy(() =>
      load().then(
        (component) => ({ default: component }),
        () => ({ default: () => null }),
      ),
    );
    known.set(name, shown);
  }
  return shown;
}
