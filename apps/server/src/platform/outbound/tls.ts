import { isIP, type Socket } from "node:net";
import { connect as connectTls, type TLSSocket } from "node:tls";
import { describeNetworkError } from "./network-errors.ts";

/** Texts in PEM. */
export interface TlsOptions {
  insecureSkipVerify?: boolean;
  ca?: string;
  cert?: string;
  key?: string;
  /** The name that the certificate must be for, where it is not that of the address. */
  serverName?: string;
}

interface SecureOptions {
  host: string;
  /** Of the other side, for messages. */
  place: string;
  tls?: TlsOptions | undefined;
  /** What is offered to be spoken (ALPN). */
  protocols?: readonly string[];
  signal: AbortSignal;
}

/** Speaks TLS over an open socket and judges the certificate, so that the message can say what is wrong with it. */
export function secure(
  socket: Socket,
  { host, place, tls = {}, protocols, signal }: SecureOptions,
): Promise<TLSSocket> {
  return new Promise((fulfil, reject) => {
    let secured: TLSSocket;
    try {
      secured = connectTls({
        socket,
        host,
        ...(isIP(host) === 0 && { servername: host }),
        ...(tls.serverName && { servername: tls.serverName }),
        ...(protocols && { ALPNProtocols: [...protocols] }),
        rejectUnauthorized: false,
        ...(tls.ca && { ca: tls.ca }),
        ...(tls.cert && { cert: tls.cert }),
        ...(tls.key && { key: tls.key }),
      });
    } catch (error) {
      socket.destroy();
      reject(
        new Error(`the TLS settings cannot be used: ${(error as Error).message}`, { cause: error }),
      );
      return;
    }
    const settle = () => signal.removeEventListener("abort", stop);
    const fail = (error: Error) => {
      settle();
      secured.destroy();
      reject(error);
    };
    const stop = () => fail(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    secured.on("error", (error) => fail(describeNetworkError(error, place)));
    secured.once("close", () =>
      fail(new Error(`connection closed by ${place} during the TLS handshake`)),
    );
    secured.once("secureConnect", () => {
      const code: unknown = secured.authorizationError;
      if (!secured.authorized && !tls.insecureSkipVerify) {
        const error = describeNetworkError(
          { code: typeof code === "string" ? code : (code as { code?: string }).code },
          place,
        );
        // Whoever is told that it is refused may be told until when it would be valid.
        fail(endingAt(error, certificateEnds(secured)));
        return;
      }
      settle();
      fulfil(secured);
    });
  });
}

/** An error of a conversation, with the end of the certificate that was seen in it. */
export const endingAt = (error: Error, ends: Date | undefined): Error =>
  ends ? Object.assign(error, { certificateEnds: ends }) : error;

/**
 * Tells when the certificate on the other side stops being valid, of a handshake that somebody else's code judges: before
 * it does. By the time one that was refused is known to be, nothing is left of it.
 */
export function watchCertificate(socket: Socket, tell: (ends: Date | undefined) => void): void {
  // Node judges in a listener of its own to this event.
  socket.prependOnceListener("secure", () => tell(certificateEnds(socket)));
}

/** When the certificate on the other side stops being valid. */
export function certificateEnds(socket: Socket | undefined): Date | undefined {
  const certificate = (socket as Partial<TLSSocket> | undefined)?.getPeerCertificate?.();
  if (!certificate?.valid_to) return undefined;
  return new Date(certificate.valid_to);
}
