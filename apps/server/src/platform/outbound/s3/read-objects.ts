export interface S3Object {
  key: string;
  size: number;
  modified: Date;
}

const entities: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

const unescaped = (text: string) =>
  text.replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi, (all, decimal, hex, name) => {
    const code = decimal ? Number(decimal) : hex ? Number.parseInt(hex as string, 16) : undefined;
    if (code !== undefined) return code <= 0x10_ff_ff ? String.fromCodePoint(code) : all;
    return entities[name as string] ?? all;
  });

/** The text of the first element of a name. */
export function textIn(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  if (start === -1) return undefined;
  const from = start + name.length + 2;
  const end = xml.indexOf(`</${name}>`, from);
  return end === -1 ? undefined : unescaped(xml.slice(from, end));
}

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return text;
  }
};

/** A page of a listing; nothing when the text is none. Elements of these names hold no elements of the same names. */
export function readObjects(xml: string): { objects: S3Object[]; next?: string } | undefined {
  if (!xml.includes("<ListBucketResult")) return undefined;
  const isEncoded = textIn(xml, "EncodingType") === "url";
  const objects: S3Object[] = [];
  for (let at = xml.indexOf("<Contents>"); at !== -1; at = xml.indexOf("<Contents>", at + 1)) {
    const end = xml.indexOf("</Contents>", at);
    if (end === -1) break;
    const one = xml.slice(at, end);
    const key = textIn(one, "Key");
    const modified = new Date(textIn(one, "LastModified") ?? "");
    const size = Number(textIn(one, "Size"));
    if (key === undefined || Number.isNaN(modified.getTime()) || !Number.isFinite(size)) continue;
    objects.push({ key: isEncoded ? decoded(key) : key, size, modified });
  }
  const next =
    textIn(xml, "IsTruncated") === "true" ? textIn(xml, "NextContinuationToken") : undefined;
  return next ? { objects, next } : { objects };
}
