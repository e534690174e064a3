type Unit = "s" | "m" | "h" | "d" | "w" | "M" | "Q" | "y";

const term = /([+-])(\d{0,6})([smhdwMQyY])|\/([smhdwMQyY])/y;

/**
 * Evaluates a date expression: `now` or a date in ISO form, then additions (`-2d`, `+1M`) and roundings down (`/d`),
 * in UTC. Weeks begin on Monday. Undefined when the text is none.
 */
export function evaluateDateMath(text: string, now: Date): Date | undefined {
  const anchored =
    /^(now|\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?)(?:\|\|)?/.exec(
      text,
    );
  if (!anchored) return undefined;
  const date = anchored[1] === "now" ? new Date(now) : new Date(withZone(anchored[1] ?? ""));
  term.lastIndex = anchored[0].length;
  while (term.lastIndex < text.length) {
    const found = term.exec(text);
    if (!found) return undefined;
    const [, sign, amount, unit, rounding] = found;
    if (rounding) roundDown(date, unitOf(rounding));
    else
      add(date, (sign === "-" ? -1 : 1) * (amount === "" ? 1 : Number(amount)), unitOf(unit ?? ""));
  }
  const year = date.getUTCFullYear();
  return Number.isNaN(year) || year < 1 || year > 9999 ? undefined : date;
}

/** A time without a zone is UTC, whatever zone the server runs in. */
const withZone = (iso: string) =>
  /T|\d \d/.test(iso) && !/(Z|[+-]\d{2}:?\d{2})$/.test(iso) ? `${iso}Z` : iso;

const unitOf = (letter: string) => (letter === "Y" ? "y" : letter) as Unit;

const milliseconds: Partial<Record<Unit, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

function add(date: Date, amount: number, unit: Unit): void {
  const step = milliseconds[unit];
  if (step !== undefined) {
    date.setTime(date.getTime() + amount * step);
    return;
  }
  const months = amount * (unit === "y" ? 12 : unit === "Q" ? 3 : 1);
  const day = date.getUTCDate();
  date.setUTCDate(1);
  date.setUTCMonth(date.getUTCMonth() + months);
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  date.setUTCDate(Math.min(day, lastDay));
}

function roundDown(date: Date, unit: Unit): void {
  if (unit === "s") return void date.setUTCMilliseconds(0);
  if (unit === "m") return void date.setUTCSeconds(0, 0);
  if (unit === "h") return void date.setUTCMinutes(0, 0, 0);
  date.setUTCHours(0, 0, 0, 0);
  if (unit === "w") date.setUTCDate(date.getUTCDate() - ((date.getUTCDay() + 6) % 7));
  if (unit === "M") date.setUTCDate(1);
  if (unit === "Q") date.setUTCMonth(date.getUTCMonth() - (date.getUTCMonth() % 3), 1);
  if (unit === "y") date.setUTCMonth(0, 1);
}
