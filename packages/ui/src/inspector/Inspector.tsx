import { type PointerEvent, type ReactNode, Suspense, useRef, useState } from "react";
import { readStoredJson, writeStored } from "../browser-storage.ts";
import { lazyPart } from "../lazy-part.tsx";
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

const loadSheet = () => import("../popups/SheetPopup.tsx");
const Sheet = lazyPart(() => loadSheet().then((module) => module.SheetPopup));

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
      isOpen && (
        <Suspense>
          <Sheet label={label} onClose={onClose}>
            {children}
          </Sheet>
        </Suspense>
      )
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
