import { type CanaryCheck, checkSecretPlaces, secretPlaceholder } from "@mainstay/contract";

type Check = Pick<CanaryCheck, "type" | "spec">;

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

/** Who the secrets of a check belong to, as a target may see them together. */
function usernames({ spec }: Check): string[] {
  const group = (spec.authentication ?? {}) as Record<string, unknown>;
  const inAddresses = ["url", "endpoint", "connection", "proxy", "addr"].flatMap((key) => {
    const user = /^(?:[^/]*\/\/)?([^:@/]*):/.exec(textOf(spec[key])[0] ?? "")?.[1];
    return user === undefined ? [] : [decoded(user)];
  });
  return [...new Set(["", ...textOf(spec.username), ...textOf(group.username), ...inAddresses])];
}

/** Everything of a check that must not show in its results. */
export function checkSecrets(check: Check): string[] {
  const users = usernames(check);
  return checkSecretPlaces(check.type, check.spec).flatMap(({ value, path }) => {
    const text = String(value);
    const plain = decoded(text.replace(/^(['"])(.*)\1$/s, "$2"));
    const afterScheme = text.replace(/^\S+\s+/, "");
    const basic = /^basic\s+(\S+)$/i.exec(text)?.[1];
    const login = basic === undefined ? [] : [Buffer.from(basic, "base64").toString("utf8")];
    const passwords = /password/i.test(path) ? [text, plain] : [];
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

/** The places of a check where only the placeholder is. */
export const unopenedPlaces = (check: Check): string[] =>
  checkSecretPlaces(check.type, check.spec)
    .filter(({ value }) => value === secretPlaceholder)
    .map(({ path }) => path);
