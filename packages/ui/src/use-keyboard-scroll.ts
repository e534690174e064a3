import { type RefObject, useLayoutEffect } from "react";

const focusable =
  "a[href], button:not(:disabled), input:not(:disabled), select:not(:disabled), textarea:not(:disabled), summary, [tabindex='0']";

/** Lets the keyboard into what scrolls and holds nothing else to go to: without, nobody could read on with it. */
export function useKeyboardScroll(scroller: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const update = () => {
      const scrolls = element.scrollHeight > element.clientHeight;
      if (scrolls && !element.querySelector(focusable)) element.setAttribute("tabindex", "0");
      else element.removeAttribute("tabindex");
    };
    const resizer = new ResizeObserver(update);
    const watcher = new MutationObserver(update);
    resizer.observe(element);
    watcher.observe(element, { childList: true, subtree: true });
    update();
    return () => {
      resizer.disconnect();
      watcher.disconnect();
    };
  }, [scroller]);
}
