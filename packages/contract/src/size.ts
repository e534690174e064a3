/** Sizes as the documents write them: an integer and a unit, counted in 1024s (`25b`, `10kb`, `10mb`, `1gb`). */

const factors: Record<string, number> = {
  "": 1,
  b: 1,
  k: 1024,
  kb: 1024,
  kib: 1024,
  ki: 1024,
  m: 1024 ** 2,
  mb: 1024 ** 2,
  mib: 1024 ** 2,
  mi: 1024 ** 2,
  g: 1024 ** 3,
  gb: 1024 ** 3,
  gib: 1024 ** 3,
  gi: 1024 ** 3,
  t: 1024 ** 4,
  tb: 1024 ** 4,
  tib: 1024 ** 4,
  ti: 1024 ** 4,
};

/** Bytes of a size. Throws an error that says what is wrong with the text. */
export function parseSize(text: string): number {
  const match = /^(\d{1,18})\s*([a-z]*)$/i.exec(text.trim());
  const factor = factors[(match?.[2] ?? "?").toLowerCase()];
  if (!match || factor === undefined) {
    throw new Error(
      `"${text.slice(0, 64)}" is not a size: write a whole number and a unit (b kb mb gb tb), for example 10mb`,
    );
  }
  const bytes = Number(match[1]) * factor;
  if (bytes > Number.MAX_SAFE_INTEGER)
    throw new Error(`"${text.slice(0, 64)}" is not a size: it is too large`);
  return bytes;
}

export function isSize(text: string): boolean {
  try {
    parseSize(text);
    return true;
  } catch {
    return false;
  }
}

const steps = ["b", "kb", "mb", "gb", "tb"] as const;

/** Bytes for people, in 1024s with at most one decimal: `1.5mb`. */
export function formatSize(bytes: number): string {
  let value = bytes;
  let step = 0;
  while (value >= 1024 && step < steps.length - 1) {
    value /= 1024;
    step += 1;
  }
  return `${Math.round(value * 10) / 10}${steps[step]}`;
}
