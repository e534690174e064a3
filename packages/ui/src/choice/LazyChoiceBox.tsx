import { Suspense } from "react";
import { Field, type FieldText } from "../fields/Field.tsx";
import { lazyPart } from "../lazy-part.tsx";
import type { ChoiceBoxProps } from "./ChoiceBox.tsx";

const ChoiceBox = lazyPart(() => import("./ChoiceBox.tsx").then((module) => module.ChoiceBox));

export interface LazyChoiceBoxProps {
  text: FieldText;
  className: string | undefined;
  box: Omit<ChoiceBoxProps, "control" | "label">;
}

/** A field around the box, whose machinery is fetched when the first one is shown. */
export function LazyChoiceBox({ text, className, box }: LazyChoiceBoxProps) {
  return (
    <Field {...text} className={className}>
      {(control) => (
        <Suspense fallback={<span className="field flex w-full bg-sunken!" />}>
          <ChoiceBox control={control} label={text.label} {...box} />
        </Suspense>
      )}
    </Field>
  );
}
