import { secretPlaceholder, type SecretPlace } from "@mainstay/contract";

type Spec = Readonly<Record<string, unknown>>;
type Place = Pick<SecretPlace, "path" | "value">;

const decoded = (text: string) => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

const textOf = (value: unknown): string[] => {
  const written =
    typeof value === "object" && value !== null ? (value as { value?: unknown }).value : value;
  return typeof written === "string" || typeof written === "number" ? [String(written)] : [];
};

/** Who the secrets of a spec belong to, as a target may see them together. */
function usernames(spec: Spec): string[] {
  const group = (spec.authentication ?? spec.auth ?? {}) as Record<string, unknown>;
  const inAddresses = ["url", "endpoint", "connection", "proxy", "addr"].flatMap((key) => {
    const user = /^(?:[^/]*\/\/)?([^:@/]*):/.exec(textOf(spec[key])[0] ?? "")?.[1];
    return user === undefined ? [] : [decoded(user)];
  });
  return [...new Set(["", ...textOf(spec.username), ...textOf(group.username), ...inAddresses])];
}

/** Everything of a spec that must not show in what comes of its runs; `places` are those of its secrets. */
export function writtenSecrets(spec: Spec, places: readonly Place[]): string[] {
  const users = usernames(spec);
  return places.flatMap(({ value, path }) => {
    const text = String(value);
    const plain = decoded(text.replace(/^(['"])(.*)\1$/s, "$2"));
    const afterScheme = text.replace(/^\S+\s+/, "");
    const basic = /^basic\s+(\S+)$/i.exec(text)?.[1];
    const login = basic === undefined ? [] : [Buffer.from(basic, "base64").toString("utf8")];
    // A token is sent as the password of somebody without a name.
    const passwords = /password|accessToken/i.test(path) ? [text, plain] : [];
    return [
      text,
      plain,
      afterScheme,
      ...login,
      ...login.map((pair) => pair.slice(pair.indexOf(":") + 1)),
      ...passwords.flatMap((password) =>
        users.map((user) => Buffer.from(`${user}:${password}`).toString("base64")),
      ),
    ];
  });
}

/** Why a spec cannot be run with the secrets it has: only the placeholder of one is there. */
export function whyNotOpened(places: readonly Place[], unopened?: string): string | undefined {
  const place = places.find(({ value }) => value === secretPlaceholder);
  if (place === undefined) return undefined;
  return unopened ?? `The value of ${place.path} is a placeholder: write the value itself.`;
}
