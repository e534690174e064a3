import { CatchBoundary } from "@tanstack/react-router";
import { type ComponentType, createElement, lazy, type ReactNode, Suspense, useState } from "react";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { messageOf } from "../api-error.ts";
import { isLostPart } from "../lost-part.ts";
import type { Load } from "./place.ts";

const loaded = new WeakMap<object, ComponentType<never>>();

/** One component per way to load it: made anew it would be drawn anew. */
function componentOf<Props>(load: Load<Props>): ComponentType<Props> {
  const known = loaded.get(load);
  // The key is the way to load just this component.
  if (known) return known as ComponentType<Props>;
  const made: ComponentType<Props> = lazy(() =>
    load().then((component) => ({ default: component })),
  );
  loaded.set(load, made);
  return made;
}

export interface LazyGuestProps<Props> {
  load: Load<Props>;
  props: Props;
  /** In place of it until it is there. */
  skeleton?: ReactNode;
  /** In place of it when it could not be loaded or drawn; `retry` tries again. */
  renderFailure: (error: unknown, retry: () => void) => ReactNode;
}

/** A guest, fetched when it is drawn. When it fails, it alone fails. */
export function LazyGuest<Props extends object>(guest: LazyGuestProps<Props>) {
  const { load, props, skeleton, renderFailure } = guest;
  const [attempt, setAttempt] = useState(0);
  const retry = (error: unknown) => {
    if (isLostPart(error)) return window.location.reload();
    loaded.delete(load);
    setAttempt(attempt + 1);
  };
  return (
    <CatchBoundary
      getResetKey={() => attempt}
      errorComponent={({ error }) => renderFailure(error, () => retry(error))}
    >
      <Suspense fallback={skeleton}>{createElement(componentOf(load), props)}</Suspense>
    </CatchBoundary>
  );
}

/** What a guest with room for it says when it fails. */
export const guestFailure = (label: string) =>
  function GuestFailure(error: unknown, retry: () => void) {
    return (
      <ErrorDisplay
        title={`${label} could not be shown`}
        message={messageOf(error)}
        onRetry={retry}
      />
    );
  };
