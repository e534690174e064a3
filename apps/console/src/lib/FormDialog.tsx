import { type FormEvent, type ReactNode, useRef } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { Dialog, type DialogSize } from "@mainstay/ui/Dialog.tsx";
import { focusFirstInvalid } from "@mainstay/ui/fields/Field.tsx";
import { GatedButton } from "./GatedButton.tsx";

export interface FormDialogProps {
  title: string;
  size?: DialogSize;
  /** What the saving button reads, at rest and while it works. */
  action: string;
  busyAction: string;
  isBusy: boolean;
  /** What is wrong with the whole, or what the server said; what was typed stays. */
  error?: string | undefined;
  /** Whether what was typed may be sent; says itself what is wrong. */
  onSubmit: () => void;
  onClose: () => void;
  /** At the left of the footer. */
  footerStart?: ReactNode;
  /** Nothing can be saved, because of this. */
  locked?: string | undefined;
  helpLink?: string;
  /** Beside the title. */
  headerActions?: ReactNode;
  children: ReactNode;
}

/** A dialog that holds a form: Enter saves, presses outside lose nothing, a refusal stays until it is mended. */
export function FormDialog(props: FormDialogProps) {
  const { action, busyAction, isBusy, error, locked } = props;
  const form = useRef<HTMLFormElement>(null);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy || locked !== undefined) return;
    props.onSubmit();
    // After the fields have learnt what is wrong with them.
    requestAnimationFrame(() => focusFirstInvalid(form.current));
  };
  return (
    <Dialog
      title={props.title}
      size={props.size ?? "small"}
      keepOpenOnOutsidePress
      onClose={props.onClose}
      {...(props.helpLink === undefined ? {} : { helpLink: props.helpLink })}
      headerActions={props.headerActions}
      footer={
        <>
          {Boolean(props.footerStart) && <span className="mr-auto">{props.footerStart}</span>}
          <Button onClick={props.onClose}>Cancel</Button>
          <GatedButton
            kind="primary"
            whyNot={locked}
            disabled={isBusy}
            onClick={() => form.current?.requestSubmit()}
          >
            {isBusy ? busyAction : action}
          </GatedButton>
        </>
      }
    >
      <form ref={form} noValidate onSubmit={submit} className="flex flex-col gap-3">
        {locked !== undefined && (
          <p
            role="status"
            className="m-0 rounded-control bg-warning-bg p-2 text-sm text-warning-fg"
          >
            {locked}
          </p>
        )}
        {props.children}
        {error !== undefined && (
          <p role="alert" className="m-0 text-sm break-words text-unhealthy-fg">
            {error}
          </p>
        )}
        {/* Enter in a field sends the form; the button for it is in the footer. */}
        <button type="submit" hidden aria-hidden="true" tabIndex={-1} />
      </form>
    </Dialog>
  );
}
