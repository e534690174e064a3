import { X } from "lucide-react";
import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from "react";
import { readStoredJson, writeStored } from "../browser-storage.ts";
import { IconButton } from "../Button.tsx";
import { useMediaQuery } from "../use-media-query.ts";

export interface InspectorProps {
  /** Names it, and is the title of the sheet. */
  label: string;
  /** Under which its width is remembered. */
  storageKey: string;
  /** On a phone it is a sheet that is opened; beside the page it is always there. */
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}

const width = { least: 240, usual: 320, most: 640 };
const keyboardStep = 16;
/** What is beside it needs the room there, unless somebody has made it wider. */
const narrowQuery = "(max-width: 1279px)";
/** Beside anything else it would leave too little. */
const sheetQuery = "(max-width: 767px)";

const isWidth = (value: unknown): value is number => typeof value === "number";
const inBounds = (wanted: number) =>
  Math.round(Math.min(width.most, Math.max(width.least, wanted)));

/** Details at the right of what they are about: as wide as somebody likes them, a sheet on a phone. */
export function Inspector({ label, storageKey, isOpen, onClose, children }: InspectorProps) {
  const isSheet = useMediaQuery(sheetQuery);
  if (isSheet)
    return (
      <Sheet label={label} isOpen={isOpen} onClose={onClose}>
        {children}
      </Sheet>
    );
  return (
    <Panel label={label} storageKey={storageKey}>
      {children}
    </Panel>
  );
}

function Panel({
  label,
  storageKey,
  children,
}: Pick<InspectorProps, "label" | "storageKey" | "children">) {
  const key = `mainstay.inspector.${storageKey}`;
  const usual = useMediaQuery(narrowQuery) ? width.least : width.usual;
  const [own, setOwn] = useState(() => readStoredJson(key, isWidth));
  const wide = inBounds(own ?? usual);
  const start = useRef<{ x: number; wide: number } | null>(null);
  const resize = (wanted: number) => {
    const next = inBounds(wanted);
    setOwn(next);
    writeStored(key, String(next));
  };
  const onPointerDown = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    start.current = { x: event.clientX, wide };
  };
  return (
    <aside
      aria-label={label}
      className="relative flex max-w-[60%] shrink-0 flex-col border-l bg-surface"
      style={{ width: wide }}
    >
      <span
        role="separator"
        aria-orientation="vertical"
        aria-label={`Width of ${label}`}
        aria-valuenow={wide}
        aria-valuemin={width.least}
        aria-valuemax={width.most}
        tabIndex={0}
        data-tooltip="Drag, or use the arrow keys"
        className="absolute inset-y-0 -left-1 z-10 w-2 cursor-col-resize touch-none hover:bg-selected"
        onPointerDown={onPointerDown}
        onPointerMove={(event) => {
          if (start.current) resize(start.current.wide + start.current.x - event.clientX);
        }}
        onPointerUp={() => {
          start.current = null;
        }}
        onDoubleClick={() => {
          setOwn(undefined);
          writeStored(key, null);
        }}
        onKeyDown={(event) => {
          const step = { ArrowLeft: keyboardStep, ArrowRight: -keyboardStep }[event.key];
          if (step === undefined) return;
          event.preventDefault();
          resize(wide + step);
        }}
      />
      <div className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto">{children}</div>
    </aside>
  );
}

function Sheet({ label, isOpen, onClose, children }: Omit<InspectorProps, "storageKey">) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const element = dialog.current;
    if (isOpen && !element?.open) element?.showModal();
    if (!isOpen && element?.open) element.close();
  }, [isOpen]);
  return (
    // Presses on the backdrop reach the dialog element itself; the keyboard closes it with Escape.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions
    <dialog
      ref={dialog}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
      className="mt-auto mb-0 max-h-[85dvh] w-screen max-w-none rounded-t-card border-0 border-t bg-surface p-0 text-text backdrop:bg-scrim open:flex open:flex-col"
    >
      <header className="flex min-h-11 shrink-0 items-center gap-2 border-b px-4">
        <h2 className="m-0 min-w-0 flex-1 truncate text-md font-semibold">{label}</h2>
        <IconButton label="Close" icon={<X size={16} strokeWidth={1.75} />} onClick={onClose} />
      </header>
      <div className="min-h-0 flex-1 overflow-x-hidden overflow-y-auto">{isOpen && children}</div>
    </dialog>
  );
}
