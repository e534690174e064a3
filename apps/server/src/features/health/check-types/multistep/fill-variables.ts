import type { MultistepStep } from "@mainstay/contract";
import { stepVariables } from "@mainstay/contract";

/** What steps know by name. */
export type Variables = ReadonlyMap<string, string>;

/** A step names a variable that no step before it has set. */
export class MissingVariable extends Error {
  override name = "MissingVariable";
}

const fill = (text: string, variables: Variables, write: (value: string) => string): string => {
  const missing = stepVariables(text).find((name) => !variables.has(name));
  if (missing !== undefined) throw new MissingVariable(`\${${missing}} has no value`);
  return text.replaceAll(/\$\{\s*([A-Za-z_]\w*)\s*\}/g, (_, name: string) =>
    write(variables.get(name)!),
  );
};

/** Only what may stand there: a value is a part of a path or query, never a way out of it. */
const inAddress = (value: string) => encodeURIComponent(value.toWellFormed());

/** What an answer told may hold a path of its own (`/orders/7`), which is then meant whole. */
export function filledAddress(text: string, base: URL, variables: Variables): URL {
  const isPath = /^\$\{\s*[A-Za-z_]\w*\s*\}/.test(text);
  const filled = isPath
    ? fill(text, variables, (value) => value)
    : fill(text, variables, inAddress);
  const relative = /^https?:\/\//i.test(filled) || filled === "" ? filled : below(base, filled);
  if (relative === "") return base;
  if (!URL.canParse(relative)) throw new Error(`"${text.slice(0, 200)}" is no address`);
  const url = new URL(relative);
  // The document says which hosts are asked; no answer does.
  const wanted = /^https?:\/\//i.test(text) ? new URL(fill(text, variables, inAddress)) : base;
  if (url.origin !== wanted.origin)
    throw new Error(`the address leads to ${url.host}, which the document does not name`);
  return url;
}

/** `/login` and `login` are below the path of the base; its query is its own. */
const below = (base: URL, path: string) =>
  `${base.origin}${base.pathname.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`;

export function filledHeaders(
  headers: MultistepStep["headers"],
  variables: Variables,
): { name: string; value: string }[] {
  return (headers ?? []).map(({ name, value }) => {
    const filled = fill(value ?? "", variables, (one) => one);
    // oxlint-disable-next-line no-control-regex -- these would end the header
    if (/[\u0000-\u0008\n-\u001f\u007f]/.test(filled))
      throw new Error(`the header ${name} would hold a sign that ends it`);
    return { name, value: filled };
  });
}

/** Written as what the body is: JSON, a form, or as it comes. */
export function filledBody(
  body: string,
  headers: readonly { name: string; value: string }[],
  variables: Variables,
): string {
  const type = headers.find(({ name }) => name.toLowerCase() === "content-type")?.value ?? "";
  if (/x-www-form-urlencoded/i.test(type)) return fill(body, variables, inAddress);
  if (/json/i.test(type) || /^\s*[{[]/.test(body))
    return fill(body, variables, (value) => JSON.stringify(value).slice(1, -1));
  return fill(body, variables, (value) => value);
}
