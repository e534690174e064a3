import { useCallback, useRef, useState } from "react";

/** A scroller, how wide it is, from before it is first seen, and the ref that it is given for that. */
export function useRoom() {
  const scroller = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(Infinity);
  const measureRoom = useCallback((box: HTMLDivElement) => {
    scroller.current = box;
    // Once there was a scrollbar, its place is left free: columns that leave for it and make rows lower, so that it goes,
    // would come back and make rows higher, and so on.
    let scrollbar = 0;
    const measure = () => {
      const now = Math.max(0, box.offsetWidth - box.clientWidth);
      scrollbar = Math.max(scrollbar, now);
      // What is not laid out has no width.
      setRoom((was) => (box.clientWidth > 0 ? box.clientWidth + now - scrollbar : was));
    };
    measure();
    const resizer = new ResizeObserver(measure);
    resizer.observe(box);
    return () => {
      scroller.current = null;
      resizer.disconnect();
    };
  }, []);
  return [scroller, room, measureRoom] as const;
}
