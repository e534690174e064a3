const dayMs = 86_400_000;
const two = Array.from({ length: 60 }, (_, index) => String(index).padStart(2, "0"));
let lastDay = Number.NaN;
let lastDayText = "";

/** `new Date(ms).toISOString()` at a fraction of its cost, for very many times of few days. */
export function isoTime(ms: number): string {
  const day = Math.floor(ms / dayMs);
  if (day !== lastDay) {
    lastDayText = new Date(day * dayMs).toISOString().slice(0, -13);
    lastDay = day;
  }
  const inDay = ms - day * dayMs;
  const millis = inDay % 1000;
  const seconds = (inDay - millis) / 1000;
  const hour = two[Math.floor(seconds / 3600)];
  const minute = two[Math.floor(seconds / 60) % 60];
  return `${lastDayText}${hour}:${minute}:${two[seconds % 60]}.${String(millis).padStart(3, "0")}Z`;
}
