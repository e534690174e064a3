import { Search } from "lucide-react";
import { Suspense, useEffect, useEffectEvent, useRef, useState } from "react";
import { atFirstSign } from "@mainstay/ui/at-first-sign.ts";
import { lazyPart } from "@mainstay/ui/lazy-part.tsx";
import { toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import type { ConsoleFeature } from "#lib/page.ts";
import type { Offered } from "./entries.ts";
import type { PaletteDialog } from "./Palette.tsx";
import { isPaletteKey, paletteKey } from "./palette-key.ts";

const loadPalette = () => import("./Palette.tsx");
const Palette = lazyPart(() => loadPalette().then((module) => module.Palette));
atFirstSign(loadPalette);

export interface PaletteButtonProps {
  features: readonly ConsoleFeature[];
  /** What the sidebar offers. */
  offered: Offered;
  /** Nobody is known yet. */
  disabled: boolean;
}

/** Opens the command palette, by a press or by its key, wherever the keyboard is. */
export function PaletteButton({ features, offered, disabled }: PaletteButtonProps) {
  const [isOpen, setIsOpen] = useState(false);
  const [Dialog, setDialog] = useState<PaletteDialog>();
  /** What was typed since it was asked for, until it has the keyboard: nothing of that goes to the page. */
  const begun = useRef<string>(undefined);
  const open = () => {
    begun.current = "";
    setIsOpen(true);
  };
  const close = () => {
    begun.current = undefined;
    setIsOpen(false);
  };
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (isPaletteKey(event)) {
      // Otherwise it is the browser's own search.
      event.preventDefault();
      if (!disabled && !event.repeat) (isOpen ? close : open)();
      return;
    }
    if (begun.current === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    if (key === "Escape") close();
    else if (key === "Backspace") begun.current = begun.current.slice(0, -1);
    else if (key.length === 1) begun.current += key;
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  useEffect(() => {
    // Before an editor takes it for its own.
    document.addEventListener("keydown", onKey, { capture: true });
    return () => document.removeEventListener("keydown", onKey, { capture: true });
  }, []);

  return (
    <>
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts={paletteKey.shortcut}
        data-tooltip={`Search pages, resources and actions  ${paletteKey.text}`}
        disabled={disabled}
        onClick={open}
        className="inline-flex h-7 shrink-0 items-center gap-2 rounded-control border border-control bg-raised px-2 text-sm text-muted enabled:hover:bg-hover enabled:hover:text-text max-desk:size-7 max-desk:justify-center max-desk:border-transparent max-desk:bg-transparent max-desk:p-0"
      >
        <Search size={16} strokeWidth={1.75} />
        <span className="max-desk:sr-only">Search</span>
        <kbd
          aria-hidden="true"
          className="rounded-control border px-1 font-mono text-2xs max-desk:hidden"
        >
          {paletteKey.text}
        </kbd>
      </button>
      <Suspense>
        {isOpen && (
          <Palette
            features={features}
            offered={offered}
            takeBegun={() => {
              const typed = begun.current;
              begun.current = undefined;
              return typed;
            }}
            onClose={close}
            onDialog={(load) => {
              close();
              load().then(
                (component) => setDialog(() => component),
                (error: unknown) => toastFailed(messageOf(error)),
              );
            }}
          />
        )}
        {Dialog && <Dialog onClose={() => setDialog(undefined)} />}
      </Suspense>
    </>
  );
}
