import type { MouseEvent } from "react";
import {
  Button,
  type ButtonProps,
  IconButton,
  type IconButtonProps,
} from "@mainstay/ui/Button.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";

/** Why a control may not be used (`access.whyNot`); nothing when it may. */
interface Gate {
  whyNot: string | undefined;
}

/**
 * What turns a control off and says why. It stays reachable for keyboard and pointer, which a `disabled` one is not, so
 * that the reason can be read.
 */
function gate(whyNot: string | undefined, className: string | undefined) {
  if (whyNot === undefined) return {};
  return {
    "aria-disabled": true,
    "aria-description": whyNot,
    "data-tooltip": whyNot,
    className: classNames("opacity-55", className),
    // Also keeps a submit button from submitting, pressed or by Enter in a field.
    onClick: (event: MouseEvent) => event.preventDefault(),
  };
}

/** A button that is off for lack of a role, and says so. */
export function GatedButton({ whyNot, ...button }: ButtonProps & Gate) {
  return <Button {...button} {...gate(whyNot, button.className)} />;
}

export function GatedIconButton({ whyNot, ...button }: IconButtonProps & Gate) {
  return (
    <IconButton
      {...button}
      {...gate(whyNot === undefined ? undefined : `${button.label}\n${whyNot}`, button.className)}
    />
  );
}
