import { useEffect, useEffectEvent } from "react";

const takesText =
  "input:not([type=radio], [type=checkbox], [type=range], [type=button]), textarea, select, [contenteditable]";

/**
 * Does something when a plain key is pressed anywhere that does not take text. What `isFirst` is asked before all others,
 * and keeps the key from them by `preventDefault`.
 */
export function usePageKey(
  key: string,
  act: (event: KeyboardEvent) => void,
  { isFirst = false } = {},
): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (
      event.key !== key ||
      event.metaKey ||
      event.ctrlKey ||
      event.altKey ||
      event.defaultPrevented
    )
      return;
    // Behind a shadow root (the editor) the target is the host; the path has what was really pressed.
    const target = event.composedPath()[0];
    if (target instanceof Element && target.closest(takesText)) return;
    act(event);
  });
  useEffect(() => {
    document.addEventListener("keydown", onKey, isFirst);
    return () => document.removeEventListener("keydown", onKey, isFirst);
  }, [isFirst]);
}
