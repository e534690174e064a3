import { type RefObject, useCallback, useState } from "react";

/** How wide a scroller is, from before it is first seen, and the ref that it is given for that. */
export function useRoom(scroller: RefObject<HTMLDivElement | null>) {
  const [room, setRoom] = useState(Infinity);
  const measureRoom = useCallback(
    (box: HTMLDivElement) => {
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
    },
    [scroller],
  );
  return [room, measureRoom] as const;
}
