const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** How this machine's keyboard writes the key of the palette, for people and for `aria-keyshortcuts`. */
export const paletteKey = isApple
  ? { text: "⌘K", shortcut: "Meta+K" }
  : { text: "Ctrl K", shortcut: "Control+K" };

/** On an Apple keyboard Ctrl K belongs to what is being written: it deletes to the end of the line. */
export const isPaletteKey = (event: KeyboardEvent): boolean =>
  event.key.toLowerCase() === "k" &&
  (isApple ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey) &&
  !event.altKey &&
  !event.shiftKey &&
  !event.isComposing;
