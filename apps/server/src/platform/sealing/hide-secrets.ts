/** Takes known secrets out of what comes from outside: answers, errors and output may repeat what was sent. */
export interface Hider {
  /** Of a text that may quote others that were cut. */
  message(text: string): string;
  /** Of JSON: every text in it, keys too. */
  value(value: unknown): unknown;
  /** Of a whole file: where they stand, from byte to byte. */
  places(bytes: Uint8Array): [from: number, to: number][];
}

export const HIDDEN = "[hidden]";
/** Shorter ones would blank ordinary words. */
const SHORTEST = 4;
/** Texts below this are never cut, so they hold secrets whole or not at all. */
const SHORTEST_CUT = 80;
/** Of a piece of base64, which any text may hold by chance. */
const SHORTEST_WITHIN = 8;
/** Values that are said everywhere. */
const ordinary = /^(true|false|null|none|undefined)$/i;

/** What a secret looks like when something has encoded it. */
function formsOf(secret: string): string[] {
  const base64 = (text: string) => Buffer.from(text).toString("base64").replace(/=+$/, "");
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  return [
    secret,
    ...(lines.length > 1 ? lines.filter((line) => line.length >= 16) : []),
    encodeURIComponent(secret.toWellFormed()),
    encodeURIComponent(secret.toWellFormed()).replaceAll("%20", "+"),
    JSON.stringify(secret).slice(1, -1),
    secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;"),
    base64(secret),
    Buffer.from(secret).toString("base64url"),
  ];
}

/** What is left of it in the base64 of a longer text: three forms, by the place where it begins. Files hold such texts. */
function withinBase64(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)]);
    // The letters at both ends hold bits of what stands beside it.
    const [from, to] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)];
    return (["base64", "base64url"] as const)
      .map((encoding) => bytes.toString(encoding).slice(from, to))
      .filter((form) => form.length >= SHORTEST_WITHIN);
  });
}

/** Of one length with the text, which all of Unicode is not. */
const lowered = (text: string) => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Texts by what they begin or end with, the longest first, so that looking for many costs little more than for one. */
function indexBy(texts: readonly string[], keyOf: (text: string) => string) {
  const index = new Map<string, string[]>();
  for (const text of texts.toSorted((a, b) => b.length - a.length)) {
    const known = index.get(keyOf(text));
    if (known) known.push(text);
    else index.set(keyOf(text), [text]);
  }
  return (key: string): readonly string[] => index.get(key) ?? [];
}

const loweredCode = (code: number) => (code >= 65 && code <= 90 ? code + 32 : code);

/** Whether one of some texts may have two letters at a place, by the letters there: most places are passed over by it. */
function likelihood(texts: readonly string[], placeIn: (text: string) => number) {
  const keyAt = (text: string, at: number) =>
    (loweredCode(text.charCodeAt(at)) * 256 + loweredCode(text.charCodeAt(at + 1))) & 0xffff;
  const isLikely = new Uint8Array(65_536);
  for (const text of texts) isLikely[keyAt(text, placeIn(text))] = 1;
  return (text: string, at: number): boolean => isLikely[keyAt(text, at)] === 1;
}

/** Undefined when there is nothing to hide. */
export function createHider(secrets: readonly string[]): Hider | undefined {
  const telling = secrets.filter((one) => one.length >= SHORTEST && !ordinary.test(one));
  const forms = [...new Set(telling.flatMap(formsOf).map(lowered))].filter(
    (form) => form.length >= SHORTEST,
  );
  if (forms.length === 0) return undefined;
  let find: Hider["places"] | undefined;
  const longest = Math.max(...forms.map((form) => form.length));
  const beginningWith = indexBy(forms, (form) => form.slice(0, SHORTEST));
  const endingWith = indexBy(forms, (form) => form.slice(-SHORTEST));
  const mayBegin = likelihood(forms, () => 0);
  const mayEnd = likelihood(forms, (form) => form.length - 2);

  const whole = (text: string): string => {
    let low: string | undefined;
    let clean = "";
    let from = 0;
    for (let at = 0; at <= text.length - SHORTEST;) {
      if (!mayBegin(text, at)) {
        at += 1;
        continue;
      }
      const all = (low ??= lowered(text));
      const form = beginningWith(all.slice(at, at + SHORTEST)).find((one) =>
        all.startsWith(one, at),
      );
      if (form === undefined) at += 1;
      else {
        clean += text.slice(from, at) + HIDDEN;
        at += form.length;
        from = at;
      }
    }
    return from === 0 ? text : clean + text.slice(from);
  };

  /** The beginning of a secret where a text was cut off. */
  const hideEnd = (text: string): string => {
    for (let at = Math.max(0, text.length - longest); at <= text.length - SHORTEST; at += 1) {
      if (!mayBegin(text, at)) continue;
      const low = lowered(text.slice(at));
      const forms = beginningWith(low.slice(0, SHORTEST));
      if (forms.some((form) => form.startsWith(low))) return text.slice(0, at) + HIDDEN;
    }
    return text;
  };
  /** The end of one where a text was cut at its beginning. */
  const hideStart = (text: string): string => {
    for (let end = Math.min(text.length, longest); end >= SHORTEST; end -= 1) {
      if (!mayEnd(text, end - 2)) continue;
      const low = lowered(text.slice(0, end));
      const forms = endingWith(low.slice(-SHORTEST));
      if (forms.some((form) => form.endsWith(low))) return HIDDEN + text.slice(end);
    }
    return text;
  };
  const text = (found: string) => {
    const clean = whole(found);
    return found.length < SHORTEST_CUT ? clean : hideStart(hideEnd(clean));
  };

  return {
    message: (found) =>
      found.length < SHORTEST_CUT
        ? whole(found)
        : whole(found)
            .split('"')
            .map((part) => hideEnd(part).split(": ").map(hideStart).join(": "))
            .join('"'),
    value: (found) => mapTexts(found, text),
    places: (bytes) =>
      (find ??= finderOf([...new Set([...forms, ...telling.flatMap(withinBase64).map(lowered)])]))(
        bytes,
      ),
  };
}

/**
 * The same in bytes, of which there may be millions: most are passed over by what the first two of a form look like; for
 * the others the forms in their order are narrowed byte by byte, so that many that begin alike cost no more than one.
 */
function finderOf(texts: readonly string[]): Hider["places"] {
  const forms = texts.map((text) => Buffer.from(text)).toSorted((a, b) => Buffer.compare(a, b));
  const low = Uint8Array.from({ length: 256 }, (_, byte) =>
    byte >= 65 && byte <= 90 ? byte + 32 : byte,
  );
  const isBeginning = new Uint8Array(65_536);
  for (const form of forms) isBeginning[form[0]! * 256 + form[1]!] = 1;

  /** The first form from `from` on whose byte at a depth is `byte` or more. */
  const firstAt = (depth: number, byte: number, from: number, to: number): number => {
    while (from < to) {
      const middle = (from + to) >> 1;
      if (forms[middle]![depth]! < byte) from = middle + 1;
      else to = middle;
    }
    return from;
  };
  /** The length of the longest form that begins there. */
  const longestAt = (bytes: Uint8Array, at: number): number => {
    let [from, to, found] = [0, forms.length, 0];
    for (let depth = 0; from < to; depth += 1) {
      if (forms[from]!.length === depth) {
        found = depth;
        from += 1;
      }
      if (at + depth >= bytes.length) break;
      const byte = low[bytes[at + depth]!]!;
      from = firstAt(depth, byte, from, to);
      to = firstAt(depth, byte + 1, from, to);
    }
    return found;
  };
  return (bytes) => {
    const found: [number, number][] = [];
    for (let at = 0; at < bytes.length - 1;) {
      const isLikely = isBeginning[low[bytes[at]!]! * 256 + low[bytes[at + 1]!]!] === 1;
      const length = isLikely ? longestAt(bytes, at) : 0;
      if (length > 0) found.push([at, at + length]);
      at += length || 1;
    }
    return found;
  };
}

/** Without recursion: what came from outside may be nested deeper than the stack. */
function mapTexts(root: unknown, map: (text: string) => string): unknown {
  const made: { root?: unknown } = {};
  const open: { value: unknown; into: object; key: string }[] = [
    { value: root, into: made, key: "root" },
  ];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, into, key } = next;
    const put = (mapped: unknown) => {
      // A key called `__proto__` is one like any other.
      if (key === "__proto__")
        Object.defineProperty(into, key, {
          value: mapped,
          enumerable: true,
          writable: true,
          configurable: true,
        });
      else (into as Record<string, unknown>)[key] = mapped;
    };
    if (typeof value === "string") put(map(value));
    else if (typeof value !== "object" || value === null || !isPlain(value)) put(value);
    else {
      const copy: object = Array.isArray(value) ? Array.from({ length: value.length }) : {};
      put(copy);
      for (const [name, inner] of Object.entries(value))
        open.push({ value: inner, into: copy, key: Array.isArray(value) ? name : map(name) });
    }
  }
  return made.root;
}

const isPlain = (value: object) => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return Array.isArray(value) || prototype === Object.prototype || prototype === null;
};
