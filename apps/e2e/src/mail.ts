import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { SMTPServer } from "smtp-server";
import { vi } from "vitest";

export interface MailBox {
  /** For SMTP_URL. */
  address: string;
  /** The code of the latest mail to somebody that was not asked for yet; waits for it. */
  codeFor(recipient: string): Promise<string>;
  close(): Promise<void>;
}

/** A real mail server, which keeps what it is given. Codes stand in the subject. */
export async function startMailBox(): Promise<MailBox> {
  const mails: { to: string[]; subject: string }[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onData(stream, session, done) {
      const keep = async () => {
        const raw = await text(stream);
        mails.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          subject: /^subject: (.*)$/im.exec(raw)?.[1] ?? "",
        });
        done();
      };
      void keep();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    address: `smtp://127.0.0.1:${port}`,
    codeFor: (recipient) =>
      vi.waitFor(
        () => {
          const at = mails.findIndex(
            ({ to, subject }) => to.includes(recipient) && /\b\d{6}\b/.test(subject),
          );
          if (at === -1)
            throw new Error(`No mail with a code to ${recipient} among ${JSON.stringify(mails)}.`);
          const [mail] = mails.splice(at, 1);
          return /\b\d{6}\b/.exec(mail!.subject)![0];
        },
        { timeout: 30_000, interval: 50 },
      ),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
