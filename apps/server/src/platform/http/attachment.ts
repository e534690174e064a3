/** Signs that make a name read as another (the direction of writing, controls), or as a path. */
const misleading = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}/\\]/gu;

/** RFC 6266: the name for programs of today, and a plain one for others. */
export function attachment(filename: string): string {
  const name = filename.replaceAll(misleading, "_").replace(/^\.+/, "_").slice(0, 200) || "file";
  const plain = name.replaceAll(/[^\x20-\x7e]|["%]/g, "_");
  const encoded = encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
