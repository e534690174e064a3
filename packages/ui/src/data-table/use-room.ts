import { useCallback, useRef, useState } from "react";

/** A scroller, how wide it is, from before it is first seen, and the ref that it is given for that. */
export function useRoom() {
  const scroller = useRef<HTMLDivElement>(null);
  const [room, setRoom] = useState(Infinity);
  const measureRoom = useCallback((box: HTMLDivElement) => {
    scroller.current = box;
    // What is not laid out has no width.
    const measure = () => setRoom((was) => box.clientWidth || was);
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
