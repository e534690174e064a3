import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { vi } from "vitest";

export interface ReceivedMail {
  from: string;
  to: string[];
  subject: string;
  text: string;
  raw: string;
}

export interface MailServer {
  /** For SMTP_URL. */
  url: string;
  received: ReceivedMail[];
  /** The next mail to that address that `select` likes and that was not taken yet; waits for it. */
  take(to: string, select?: (mail: ReceivedMail) => boolean): Promise<ReceivedMail>;
  /** Refuses so many mails from now on, as a mail server does that is in trouble. */
  refuse(count: number): void;
  stop(): Promise<void>;
}

/** A real mail server that keeps what it is given. */
export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  const waiting: ReceivedMail[] = [];
  let refusals = 0;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    onMailFrom(_address, _session, done) {
      if (refusals === 0) return done();
      refusals -= 1;
      done(Object.assign(new Error("Try again later"), { responseCode: 451 }));
    },
    onData(stream, session, done) {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("end", () => {
        const mail = parse(Buffer.concat(pieces).toString(), session.envelope);
        received.push(mail);
        waiting.push(mail);
        done();
      });
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    take: (to, select = () => true) =>
      vi.waitFor(
        () => {
          const at = waiting.findIndex((mail) => mail.to.includes(to) && select(mail));
          if (at < 0) throw new Error(`no mail to ${to} yet`);
          return waiting.splice(at, 1)[0]!;
        },
        { timeout: 20_000, interval: 20 },
      ),
    refuse(count) {
      refusals = count;
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

interface Envelope {
  mailFrom: false | { address: string };
  rcptTo: { address: string }[];
}

function parse(raw: string, { mailFrom, rcptTo }: Envelope): ReceivedMail {
  const at = raw.indexOf("\r\n\r\n");
  const head = raw.slice(0, at).replace(/\r\n[ \t]+/g, " ");
  const body = raw.slice(at + 4);
  const isQuoted = /^content-transfer-encoding: quoted-printable/im.test(head);
  const encoded = /^content-transfer-encoding: base64/im.test(head);
  return {
    from: mailFrom ? mailFrom.address : "",
    to: rcptTo.map(({ address }) => address),
    subject: /^subject: (.*)$/im.exec(head)?.[1]?.trim() ?? "",
    text: encoded ? Buffer.from(body, "base64").toString() : isQuoted ? unquote(body) : body,
    raw,
  };
}

const unquote = (body: string) =>
  Buffer.from(
    body
      .replace(/=\r\n/g, "")
      .replace(/=([0-9A-F]{2})/g, (_match, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    "latin1",
  ).toString();

/** The code of a mail. */
export const codeIn = (mail: ReceivedMail): string => /Your code is (\d{6})\./.exec(mail.text)![1]!;
/** The path and query of the link of a mail. */
export function linkIn(mail: ReceivedMail): string {
  const link = new URL(/https?:\/\/\S+token=\S+/.exec(mail.text)![0]);
  return link.pathname + link.search;
}
