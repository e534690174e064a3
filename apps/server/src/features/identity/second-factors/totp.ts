import { Secret, TOTP } from "otpauth";
import { renderSVG } from "uqr";

/** What every authenticator app takes for granted: SHA-1, six digits, a new code every 30 seconds. */
const settings = { algorithm: "SHA1", digits: 6, period: 30 } as const;
/** 160 bits, as long as the hash. */
const SECRET_BYTES = 20;
/** Steps that a clock may be wrong by, to either side. */
const WINDOW = 1;

const codeShape = /^\d{6}$/;

/** A new secret to share with an authenticator app, as base32 text. */
export const makeTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** The address by which an authenticator app takes over the secret; apps show issuer and account beside the code. */
export function totpAddress(parts: { secret: string; account: string; issuer: string }): string {
  const { secret, account, issuer } = parts;
  return new TOTP({
    ...settings,
    secret: Secret.fromBase32(secret),
    issuer,
    label: account,
  }).toString();
}

/** The address as a picture to point a camera at. */
export function qrImage(address: string): string {
  // The border is the quiet zone that the QR code standard asks for.
  const svg = renderSVG(address, { ecc: "M", border: 4, pixelSize: 4 });
  return `data:image/svg+xml;base64,${Buffer.from(svg).toString("base64")}`;
}

/**
 * The step of time that the code belongs to; undefined when it is no code of this secret around now. Of one step only
 * one code may ever be taken: keep the step, and take only later ones.
 */
export function totpStep(parts: { secret: string; code: string; now: Date }): number | undefined {
  const token = parts.code.replaceAll(/\s/g, "");
  if (!codeShape.test(token)) return undefined;
  const timestamp = parts.now.getTime();
  const delta = TOTP.validate({
    ...settings,
    token,
    secret: Secret.fromBase32(parts.secret),
    timestamp,
    window: WINDOW,
  });
  return delta === null ? undefined : TOTP.counter({ period: settings.period, timestamp }) + delta;
}
