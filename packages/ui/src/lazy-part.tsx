import { type ComponentType, createContext, lazy, useContext, useEffect, useState } from "react";
import { Button } from "./Button.tsx";
import { toastFailed } from "./toasts.ts";

/** Whoever reads it can do either. */
export const lostPartWords =
  "A part of the console could not be loaded. Try again, or load the page anew if a newer release is running.";

/** How the part that is missing is asked for again. */
interface Again {
  /** Lets whoever draws it next ask anew. */
  prepare: () => unknown;
  ask: () => void;
}
const AgainContext = createContext<Again | undefined>(undefined);

/** In place of a part that could not be fetched; what would float has no place, and is closed. */
function LostPart({ onClose }: { onClose?: () => void }) {
  const again = useContext(AgainContext);
  useEffect(() => {
    again?.prepare();
    if (!onClose) return;
    toastFailed(lostPartWords);
    onClose();
  }, [again, onClose]);
  if (onClose) return null;
  return (
    <p role="alert" className="m-0 p-3 text-sm text-muted">
      {lostPartWords}{" "}
      <Button kind="quiet" onClick={again?.ask}>
        Try again
      </Button>
    </p>
  );
}

/**
 * A part of a page that is fetched when it is first drawn, within a `Suspense`. When it cannot be had, nothing but the part
 * is missing: where it would stand is said so; one that can be closed (`onClose`) is closed, with a toast. It is fetched
 * again when it is asked for again.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const attempt = (): ComponentType<Props> =>
    lazy(() =>
      load().then(
        (component) => ({ default: component }),
        () => ({ default: LostPart as ComponentType<Props> }),
      ),
    );
  let latest = attempt();
  const prepare = () => (latest = attempt());
  return function Part(props: Props) {
    // While it is fetched for the first time React keeps no state: whatever is drawn then must be the same attempt.
    const [Shown, show] = useState(() => latest);
    return (
      <AgainContext value={{ prepare, ask: () => show(prepare) }}>
        <Shown {...props} />
      </AgainContext>
    );
  };
}
