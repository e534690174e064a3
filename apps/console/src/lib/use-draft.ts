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

const keyOf = (name: string) => `mainstay.draft.${name}`;

/** Puts a text into a draft, for whoever writes on at it. */
export const keepDraft = (name: string, text: string) => writeStored(keyOf(name), text);

/** A text that is being written: it survives closing and reloading the page until it is saved or discarded. */
export function useDraft(name: string, initial: string): Draft {
  const key = keyOf(name);
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
