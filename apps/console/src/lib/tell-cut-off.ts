import { toastFailed } from "@mainstay/ui/toasts.ts";

/** Says that a file of at most so many records lacks the others, where it does; `total` is nothing where nobody knows. */
export function tellCutOff(
  { length }: readonly unknown[],
  { total, most, noun }: { total: number | undefined; most: number; noun: string },
): void {
  if (total === undefined ? length < most : total <= length) return;
  const of = total === undefined ? "" : `of ${total.toLocaleString()} `;
  toastFailed(
    `Only the first ${length.toLocaleString()} ${of}${noun} are in the file. Filter for fewer.`,
  );
}
