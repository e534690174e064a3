import { Dialog as Base } from "@base-ui/react/dialog";
import { CircleHelp, Maximize2, Minimize2, X } from "lucide-react";
import { type ReactNode, type RefObject, useRef, useState } from "react";
import { IconButton } from "../Button.tsx";
import { classNames } from "../class-names.ts";
import { useIsLate } from "../command-palette/open-palette.ts";
import type { DialogProps, DialogSize } from "../Dialog.tsx";
import { useKeyboardScroll } from "../use-keyboard-scroll.ts";

const widths: Record<DialogSize, string> = {
  "very-small": "h-fit w-[min(380px,calc(100vw-16px))]",
  small: "h-fit w-[min(520px,calc(100vw-16px))]",
  medium: "h-fit w-[min(760px,calc(100vw-16px))]",
  large: "h-fit w-[min(1040px,calc(100vw-16px))]",
  // On a phone there is no more than that.
  full: "h-[calc(100dvh-32px)] max-h-none! w-[calc(100vw-32px)] max-tablet:h-dvh max-tablet:w-screen max-tablet:rounded-none",
};
const wholeWindow = "h-dvh max-h-none! w-screen rounded-none";

const firstField = (body: HTMLElement | null) =>
  body?.querySelector<HTMLElement>(
    ":is(input, select, textarea):not(:disabled, [readonly], [type=hidden], [type=radio])",
  );

/** Mounted with the popup, and not before: what it watches is there. */
function Body({
  ref,
  className,
  children,
}: {
  ref: RefObject<HTMLDivElement | null>;
  className: string;
  children: ReactNode;
}) {
  useKeyboardScroll(ref);
  return (
    <div
      ref={ref}
      className={classNames(
        // What is placed in it is placed within it: the dialog around it would be scrolled to what a reader of screens hears.
        "relative flex min-h-0 flex-1 flex-col overflow-auto focus-visible:-outline-offset-2",
        className,
      )}
    >
      {children}
    </div>
  );
}

/** What `Dialog` shows, with the machinery that it fetches. */
export function DialogPopup(props: DialogProps) {
  const {
    title,
    label,
    size = "medium",
    onClose,
    helpLink,
    headerActions,
    footer,
    children,
  } = props;
  const popup = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [isExpanded, setIsExpanded] = useState(false);
  const isLate = useIsLate();

  if (isLate) return null;
  return (
    <Base.Root
      open
      disablePointerDismissal={props.keepOpenOnOutsidePress ?? false}
      onOpenChange={(open) => {
        if (!open) onClose();
      }}
    >
      <Base.Portal>
        {/* A dialog over another one is set off from that as well. */}
        <Base.Backdrop forceRender className="fixed inset-0 z-50 bg-scrim" />
        <Base.Popup
          ref={popup}
          initialFocus={
            props.initialFocus ??
            ((interaction) => {
              // On a touch screen a field would call up the keyboard before anybody wants to write.
              const mayType = props.keepOpenOnOutsidePress === true && interaction !== "touch";
              return (mayType ? firstField(body.current) : null) ?? popup.current;
            })
          }
          {...(label === undefined ? {} : { "aria-label": label, "aria-labelledby": undefined })}
          className={classNames(
            "floating fixed inset-0 z-50 m-auto flex max-h-[calc(100dvh-16px)] flex-col overflow-hidden",
            !isExpanded ? widths[size] : size === "full" ? wholeWindow : widths.full,
          )}
        >
          <header className="flex min-h-12 shrink-0 items-center gap-2 border-b px-4 py-1.5">
            <Base.Title className="m-0 min-w-0 flex-1 text-lg font-semibold">{title}</Base.Title>
            {headerActions}
            {helpLink !== undefined && (
              <a
                href={helpLink}
                target="_blank"
                rel="noreferrer"
                aria-label="Help"
                data-tooltip="Help"
                className="inline-flex size-7 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-text"
              >
                <CircleHelp size={16} strokeWidth={1.75} />
              </a>
            )}
            <IconButton
              label={isExpanded ? "Restore size" : "Expand"}
              className={size === "full" ? "max-tablet:hidden" : undefined}
              icon={
                isExpanded ? (
                  <Minimize2 size={16} strokeWidth={1.75} />
                ) : (
                  <Maximize2 size={16} strokeWidth={1.75} />
                )
              }
              onClick={() => setIsExpanded(!isExpanded)}
            />
            <Base.Close
              render={<IconButton label="Close" icon={<X size={16} strokeWidth={1.75} />} />}
            />
          </header>
          <Body ref={body} className={props.bodyClassName ?? "p-4"}>
            {children}
          </Body>
          {footer !== undefined && (
            <footer className="flex shrink-0 flex-wrap items-center justify-end gap-2 border-t bg-surface px-4 py-2.5">
              {footer}
            </footer>
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
