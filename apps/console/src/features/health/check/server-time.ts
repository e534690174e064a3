/** A moment as the server writes it: times without a zone are UTC (H4). */
export function serverTime(text: string | null | undefined): number {
  if (!text) return Number.NaN;
  const hasZone = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text);
  return Date.parse(hasZone ? text : `${text.replace(" ", "T")}Z`);
}
