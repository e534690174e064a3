/** The most common passwords of published breaches; loaded when the first password is chosen, because it is large. */
let loading: Promise<ReadonlySet<string>> | undefined;

export async function isCommonPassword(password: string): Promise<boolean> {
  loading ??= import("@zxcvbn-ts/language-common").then(
    ({ dictionary }) => new Set(dictionary["passwords-common"].map((word) => word.toLowerCase())),
  );
  const common = await loading;
  const lower = password.toLowerCase();
  // A common one with a number or signs at its end is tried right after the common ones.
  return common.has(lower) || common.has(lower.replace(/[\d\W_]+$/u, ""));
}
