/** Takes known secrets out of a text that came from outside or goes there. Very short ones would blank ordinary words. */
export function hideSecrets(text: string, secrets: readonly (string | undefined)[]): string {
  return secrets
    .filter((secret): secret is string => secret !== undefined && secret.length >= 4)
    .toSorted((a, b) => b.length - a.length)
    .reduce((clean, secret) => clean.replaceAll(secret, "[hidden]"), text);
}
