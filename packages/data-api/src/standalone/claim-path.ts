type Step = (value: unknown) => unknown;

const key = /\.(?:"((?:[^"\\]|\\.)*)"|([\p{L}\p{Nd}_$@-]+))/uy;
const index = /\[(\d+)\]/y;
const choice = /\[\?\(@ (==|!=|\^==|==\^|\*==) "([^"]*)"\)\]/y;

const compare: Record<string, (value: string, wanted: string) => boolean> = {
  "==": (value, wanted) => value === wanted,
  "!=": (value, wanted) => value !== wanted,
  "^==": (value, wanted) => value.startsWith(wanted),
  "==^": (value, wanted) => value.endsWith(wanted),
  "*==": (value, wanted) => value.includes(wanted),
};

/** Compiles a path such as `.role`, `."https://x/roles"[0]` or `.roles[?(@ ^== "app_")]`. */
export function pathReader(path: string): (claims: unknown) => string | undefined {
  const steps: Step[] = [];
  let at = 0;
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    const found = pattern.exec(path);
    if (found) at += found[0].length;
    return found;
  };
  while (at < path.length) {
    const [named, numbered, chosen] = [take(key), take(index), take(choice)];
    if (named) {
      const name = named[1]?.replace(/\\(.)/g, "$1") ?? named[2] ?? "";
      steps.push((value) =>
        typeof value === "object" && value !== null && Object.hasOwn(value, name)
          ? (value as Record<string, unknown>)[name]
          : undefined,
      );
    }
    if (numbered)
      steps.push((value) => (Array.isArray(value) ? value[Number(numbered[1])] : undefined));
    if (chosen) {
      const isWanted = compare[chosen[1] ?? "=="];
      steps.push((value) =>
        Array.isArray(value)
          ? value.find((one) => typeof one === "string" && isWanted?.(one, chosen[2] ?? ""))
          : undefined,
      );
    }
    if (!named && !numbered && !chosen)
      throw new Error(`The path of the role claim cannot be read: ${path}`);
  }
  return (claims) => {
    const value = steps.reduce<unknown>((reached, step) => step(reached), claims);
    // What says a role in another way says one that does not exist; it must not pass for saying none.
    return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
  };
}
