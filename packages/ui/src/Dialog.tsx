import { type ReactNode, type RefObject, Suspense } from "react";
import { atFirstSign } from "./at-first-sign.ts";
import { lazyPart } from "./lazy-part.tsx";

export type DialogSize = "very-small" | "small" | "medium" | "large" | "full";

export interface DialogProps {
  title: ReactNode;
  /** The name for assistive technology when the title is more than words. */
  label?: string;
  size?: DialogSize;
  onClose: () => void;
  /** An address with more about what the dialog is for. */
  helpLink?: string;
  /** Beside the title. */
  headerActions?: ReactNode;
  footer?: ReactNode;
  children: ReactNode;
  /** What is focused first; when left out, the first field of a dialog that is typed into, else the dialog itself. */
  initialFocus?: RefObject<HTMLElement | null>;
  /** Presses outside do not close it: for dialogs that hold what someone typed. */
  keepOpenOnOutsidePress?: boolean;
  bodyClassName?: string;
}

/** Fetches the machinery of dialogs, for whoever knows that one is about to be opened. */
export const loadDialog = () => import("./popups/DialogPopup.tsx");
const Popup = lazyPart(() => loadDialog().then((module) => module.DialogPopup));
atFirstSign(loadDialog);

/** A modal dialog: holds focus while open and gives it back to where it came from. */
export function Dialog(props: DialogProps) {
  return (
    <Suspense>
      <Popup {...props} />
    </Suspense>
  );
}
