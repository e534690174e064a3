import type { ConnectionField, ConnectionFieldKey, ConnectionValues } from "./connection-type.ts";

type Said = Partial<Omit<ConnectionField, "key" | "label">>;

/** A plain text, optional and readable unless said. */
export const text = (key: ConnectionFieldKey, label: string, said: Said = {}): ConnectionField => ({
  key,
  label,
  help: "",
  input: "text",
  required: false,
  secret: false,
  valueSource: false,
  ...said,
});

/** A text that may stand elsewhere. */
export const value = (key: ConnectionFieldKey, label: string, said: Said = {}): ConnectionField =>
  text(key, label, { valueSource: true, ...said });

/** Shown to nobody once it is stored. */
export const hidden = (key: ConnectionFieldKey, label: string, said: Said = {}): ConnectionField =>
  value(key, label, { secret: true, ...said });

export const checkbox = (
  key: ConnectionFieldKey,
  label: string,
  said: Said = {},
): ConnectionField => text(key, label, { input: "checkbox", default: "false", ...said });

export const number = (key: ConnectionFieldKey, label: string, said: Said = {}): ConnectionField =>
  text(key, label, { input: "number", ...said });

export const select = (
  key: ConnectionFieldKey,
  label: string,
  values: readonly string[],
  said: Said = {},
): ConnectionField =>
  text(key, label, {
    input: "select",
    options: values.map((one) => ({ value: one, label: one })),
    ...said,
  });

export const required = { required: true } as const;

export const url = (help: string, said: Said = {}): ConnectionField =>
  value("url", "URL", { help, ...said });
export const username = (said: Said = {}): ConnectionField => value("username", "Username", said);
export const password = (said: Said = {}): ConnectionField => hidden("password", "Password", said);
export const insecureTls = checkbox("insecure_tls", "Insecure TLS", {
  help: "Accept any certificate. Whoever can be taken for the target is then sent the password.",
});

/** A property of a row, as it stands in a composed address. */
export const property = ({ properties = {} }: ConnectionValues, name: string): string =>
  properties[name] ?? "";

const isElsewhere = /^(secret|configmap|helm|serviceaccount):\/\//;

/** The user name in a composed address: itself, or its name where it stands elsewhere. */
export const writtenUsername = ({ username: name = "" }: ConnectionValues): string =>
  isElsewhere.test(name) ? "$(username)" : name;
