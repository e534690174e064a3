import { type ComponentType, useEffect, useState } from "react";
import { Icon, type IconMark } from "@mainstay/ui/Icon.tsx";
import { frequentMarks } from "./frequent-marks.ts";

type Marks = Readonly<Record<string, ComponentType<IconMark>>>;

let all: Marks | undefined;

const markIn = (marks: Marks | undefined, type: string) =>
  marks && Object.hasOwn(marks, type) ? marks[type] : undefined;

/** The mark of a check type. Those of rarer types are fetched when one is drawn. */
export function CheckTypeIcon({ type, size }: { type: string; size?: number }) {
  const [here, setHere] = useState(all);
  const frequent = markIn(frequentMarks, type);
  useEffect(() => {
    if (frequent || here) return;
    let isShown = true;
    import("./check-type-icon.ts").then(
      (module) => {
        all = module.checkTypeMarks;
        if (isShown) setHere(all);
      },
      // A list does without pictures.
      () => undefined,
    );
    return () => {
      isShown = false;
    };
  }, [frequent, here]);
  return (
    <Icon name={type} mark={frequent ?? markIn(here, type)} {...(size !== undefined && { size })} />
  );
}
