import { createTransport } from "nodemailer";
import type { Config } from "#platform/config.ts";

/** How long a mail server may take for each of its answers. */
const TIMEOUT_MS = 20_000;

export interface Mail {
  to: string;
  subject: string;
  /** Paragraphs of plain text. */
  text: string[];
}

/** Whether mail can be sent at all; where it cannot, administrators hand over links. */
export const sendsMail = (config: Pick<Config, "smtpUrl">): boolean => config.smtpUrl !== undefined;

/** The address of the console in mails: never one that a request has claimed, which might be anybody's. */
export function mailedAddress(config: Pick<Config, "publicUrl" | "host" | "port">): string {
  const { publicUrl, host, port } = config;
  if (publicUrl) return publicUrl;
  const name = ["0.0.0.0", "::"].includes(host) ? "localhost" : host;
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`;
}

/** Hands a mail to the mail server, and rejects when that does not take it, or not in the time that the signal leaves. */
export async function sendMail(
  { config, signal }: { config: Pick<Config, "smtpUrl" | "mailFrom">; signal: AbortSignal },
  { to, subject, text }: Mail,
): Promise<void> {
  if (config.smtpUrl === undefined) throw new Error("There is no mail server: set SMTP_URL.");
  const transport = createTransport({
    url: config.smtpUrl,
    connectionTimeout: TIMEOUT_MS,
    greetingTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  try {
    await transport.sendMail({
      from: config.mailFrom,
      // As an object, so that an address cannot be read as several.
      to: { name: "", address: to },
      subject,
      text: `${text.join("\n\n")}\n`,
      headers: { "Auto-Submitted": "auto-generated" },
      // Each answer has a time of its own; a server that answers a little at a time would take for ever.
      signal,
    });
  } finally {
    transport.close();
  }
}
