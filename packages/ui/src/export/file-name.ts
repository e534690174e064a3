/** A name as that of a file: letters of every script stay, what systems of files or shells take for more goes. */
export const asFileName = (name: string): string =>
  name.replaceAll(/[^\p{L}\p{M}\p{N}_.-]+/gu, "-");
