import { CircleCheck, Copy, TriangleAlert, X } from "lucide-react";
import { useEffect, useState } from "react";
import { createPortal } from "react-dom";
import { IconButton } from "../Button.tsx";
import type { Toast } from "../toasts.ts";
import { copyText, dismissToast, toastMs, undoMs, useToasts } from "../toasts.ts";

const longMessage = 200;

function ToastCard({ toast }: { toast: Toast }) {
  const [isHeld, setIsHeld] = useState(false);
  const lastsMs = toast.action?.isUndo === true ? undoMs : toastMs;
  const leavesByItself = toast.kind === "done" && !isHeld;

  useEffect(() => {
    if (!leavesByItself) return;
    const timer = setTimeout(() => dismissToast(toast.id), lastsMs);
    return () => clearTimeout(timer);
  }, [leavesByItself, toast.id, lastsMs]);

  return (
    <div
      role={toast.kind === "failed" ? "alert" : "status"}
      onPointerEnter={() => setIsHeld(true)}
      onPointerLeave={(event) => setIsHeld(event.currentTarget.contains(document.activeElement))}
      onFocus={() => setIsHeld(true)}
      onBlur={(event) => setIsHeld(event.currentTarget.matches(":hover"))}
      className="floating pointer-events-auto flex w-full items-start gap-2 p-2 pl-3"
    >
      {toast.kind === "failed" ? (
        <TriangleAlert
          aria-hidden="true"
          size={16}
          strokeWidth={1.75}
          className="mt-1.5 shrink-0 text-unhealthy"
        />
      ) : (
        <CircleCheck
          aria-hidden="true"
          size={16}
          strokeWidth={1.75}
          className="mt-1.5 shrink-0 text-healthy"
        />
      )}
      <span
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a long message scrolls, so the keyboard must reach it
        tabIndex={toast.message.length > longMessage ? 0 : undefined}
        className="max-h-40 min-w-0 flex-1 overflow-auto py-1 text-sm break-words"
      >
        {toast.message}
      </span>
      {toast.action && (
        <button
          type="button"
          className="h-7 shrink-0 rounded-control px-2 text-sm font-medium text-accent hover:bg-hover"
          onClick={() => {
            toast.action?.onSelect();
            dismissToast(toast.id);
          }}
        >
          {toast.action.label}
        </button>
      )}
      {toast.kind === "failed" && (
        <IconButton
          label="Copy message"
          icon={<Copy size={14} strokeWidth={1.75} />}
          onClick={() => void copyText(toast.message)}
        />
      )}
      <IconButton
        label="Dismiss"
        icon={<X size={14} strokeWidth={1.75} />}
        onClick={() => dismissToast(toast.id)}
      />
    </div>
  );
}

/** Where toasts appear: above dialogs, which stand beside the root and not in it. Mounted once. */
export function ToastRegion() {
  const toasts = useToasts();
  return createPortal(
    <section
      aria-label="Notifications"
      // Base UI makes what is outside a modal dialog inert unless it is marked as a live region.
      aria-live="polite"
      className="pointer-events-none fixed right-4 bottom-14 z-90 flex w-[min(400px,calc(100vw-32px))] flex-col gap-2"
    >
      {toasts.map((toast) => (
        <ToastCard key={toast.id} toast={toast} />
      ))}
    </section>,
    document.body,
  );
}
