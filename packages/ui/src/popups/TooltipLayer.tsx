import { useEffect, useRef, useState } from "react";

interface Shown {
  text: string;
  x: number;
  y: number;
  isBelow: boolean;
}

const delayMs = 350;
/** So long after the last movement scrolling is over. */
const settledMs = 120;

/**
 * Shows the `data-tooltip` of whatever is hovered or focused. Mounted once, at the root.
 * A tooltip only repeats or expands what the element's own name says, so it is hidden from assistive technology.
 */
export function TooltipLayer() {
  const [shown, setShown] = useState<Shown | null>(null);
  const timer = useRef<number>(0);

  useEffect(() => {
    const show = (target: EventTarget | null, afterMs: number) => {
      const element = target instanceof Element ? target.closest("[data-tooltip]") : null;
      window.clearTimeout(timer.current);
      if (!element) return setShown(null);
      timer.current = window.setTimeout(() => {
        const text = element.getAttribute("data-tooltip");
        if (!text || !element.isConnected) return setShown(null);
        const box = element.getBoundingClientRect();
        const isBelow = box.bottom + 60 < window.innerHeight;
        setShown({
          text,
          x: box.left + box.width / 2,
          y: isBelow ? box.bottom + 6 : box.top - 6,
          isBelow,
        });
      }, afterMs);
    };
    const onOver = (event: Event) => show(event.target, delayMs);
    const onFocus = (event: Event) => {
      if (event.target instanceof Element && event.target.matches(":focus-visible"))
        show(event.target, 0);
    };
    const hide = () => {
      window.clearTimeout(timer.current);
      setShown(null);
    };
    // Going somewhere with the keyboard may scroll there: what it says is still wanted, at its new place.
    const onScroll = () => {
      hide();
      const { activeElement } = document;
      if (activeElement?.matches(":focus-visible")) show(activeElement, settledMs);
    };
    const onKey = (event: KeyboardEvent) => {
      if (event.key === "Escape") hide();
    };
    document.addEventListener("pointerover", onOver);
    document.addEventListener("focusin", onFocus);
    document.addEventListener("focusout", hide);
    document.addEventListener("pointerdown", hide);
    document.addEventListener("scroll", onScroll, true);
    document.addEventListener("keydown", onKey);
    // It comes with the first movement, which has led somewhere already.
    const { activeElement } = document;
    if (activeElement?.matches(":focus-visible")) show(activeElement, 0);
    else show([...document.querySelectorAll(":hover")].at(-1) ?? null, delayMs);
    return () => {
      hide();
      document.removeEventListener("pointerover", onOver);
      document.removeEventListener("focusin", onFocus);
      document.removeEventListener("focusout", hide);
      document.removeEventListener("pointerdown", hide);
      document.removeEventListener("scroll", onScroll, true);
      document.removeEventListener("keydown", onKey);
    };
  }, []);

  if (!shown) return null;
  const half = 130;
  const left = Math.min(
    Math.max(shown.x, half + 8),
    Math.max(half + 8, window.innerWidth - half - 8),
  );
  return (
    <div
      aria-hidden="true"
      className="floating pointer-events-none fixed z-100 max-h-[40vh] w-max max-w-[260px] overflow-hidden whitespace-pre-line px-2 py-1 text-xs break-words"
      style={{ left, top: shown.y, transform: `translate(-50%, ${shown.isBelow ? "0" : "-100%"})` }}
    >
      {shown.text}
    </div>
  );
}
