import { useState } from "react";
import { readStored, writeStored } from "@mainstay/ui/browser-storage.ts";

export interface Draft {
  text: string;
  /** What it began with, as it is now. */
  initial: string;
  /** Something was typed that is not saved anywhere else. */
  isChanged: boolean;
  change: (text: string) => void;
  /** Forgets what was typed: it was saved, or is not wanted. */
  discard: () => void;
}

/** A text that is being written: it survives closing and reloading the page until it is saved or discarded. */
export function useDraft(name: string, initial: string): Draft {
  const key = `mainstay.draft.${name}`;
  const [typed, setTyped] = useState<string | null>(() => readStored(key));
  return {
    text: typed ?? initial,
    initial,
    isChanged: typed !== null && typed !== initial,
    change: (text) => {
      setTyped(text);
      writeStored(key, text === initial ? null : text);
    },
    discard: () => {
      setTyped(null);
      writeStored(key, null);
    },
  };
}
