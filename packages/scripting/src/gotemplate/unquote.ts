const simple: Record<string, string> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\u000b",
  "\\": "\\",
};

/** The text that a Go string literal stands for; undefined when it is none. Bytes that are no UTF-8 become U+FFFD. */
export function unquote(literal: string): string | undefined {
  if (literal.startsWith("`")) return literal.slice(1, -1).replaceAll("\r", "");
  return unescape(literal.slice(1, -1), '"');
}

/** The number of the character in a Go character literal. */
export function unquoteCharacter(literal: string): bigint | undefined {
  const byte = /^'\\(?:x([0-9a-fA-F]{2})|([0-3][0-7]{2}))'$/.exec(literal);
  if (byte !== null) return BigInt(parseInt(byte[1] ?? byte[2] ?? "", byte[1] ? 16 : 8));
  const text = unescape(literal.slice(1, -1), "'");
  if (text === undefined || Array.from(text).length !== 1) return undefined;
  return BigInt(text.codePointAt(0) ?? 0);
}

function unescape(body: string, quote: string): string | undefined {
  if (!body.includes("\\")) return body.includes(quote) ? undefined : body;
  const parts: (string | number)[] = [];
  for (let i = 0; i < body.length;) {
    const c = body[i] ?? "";
    if (c !== "\\") {
      if (c === quote || c === "\n") return undefined;
      parts.push(c);
      i++;
      continue;
    }
    const letter = body[i + 1] ?? "";
    const plain = Object.hasOwn(simple, letter) ? simple[letter] : undefined;
    if (plain !== undefined || letter === quote) {
      parts.push(plain ?? letter);
      i += 2;
      continue;
    }
    const rest = body.slice(i + 1, i + 10);
    const match = /^(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{3}))/.exec(
      rest,
    );
    if (match === null) return undefined;
    const [whole, byte, short, long, octal] = match;
    const code = parseInt(byte ?? short ?? long ?? octal ?? "", octal === undefined ? 16 : 8);
    if (byte !== undefined || octal !== undefined) {
      if (code > 255) return undefined;
      parts.push(code);
    } else {
      if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) return undefined;
      parts.push(String.fromCodePoint(code));
    }
    i += 1 + whole.length;
  }
  return join(parts);
}

/** Numbers are bytes, of which several together may be one character. */
function join(parts: readonly (string | number)[]): string {
  let text = "";
  let bytes: number[] = [];
  const flush = (): void => {
    if (bytes.length > 0) text += new TextDecoder().decode(new Uint8Array(bytes));
    bytes = [];
  };
  for (const part of parts) {
    if (typeof part === "number") bytes.push(part);
    else {
      flush();
      text += part;
    }
  }
  flush();
  return text;
}
