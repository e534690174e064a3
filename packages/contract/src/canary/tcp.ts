import { z } from "zod";
import { commonShape, maxSSLExpiry, millis, tls } from "./fields.ts";

/** Splits `host:port` and `[address]:port`; undefined when the text is neither. */
export function splitHostPort(text: string): { host: string; port: number } | undefined {
  const match = /^(?:\[([0-9a-fA-F:.%\w]+)\]|([^:[\]\s/]+)):(\d{1,5})$/.exec(text.trim());
  const port = Number(match?.[3]);
  if (!match || port < 1 || port > 65_535) return undefined;
  return { host: (match[1] ?? match[2]) as string, port };
}

export const hostPort = z
  .string()
  .max(512)
  .refine((text) => splitHostPort(text) !== undefined, {
    error: "Expected host:port, for example example.com:443 or [::1]:443.",
  });

export const tcpSpec = z
  .looseObject({
    ...commonShape,
    endpoint: hostPort.describe("Host and port to connect to."),
    thresholdMillis: millis
      .optional()
      .describe(
        "Longest time connecting may take, in milliseconds; no limit of its own when absent or 0.",
      ),
    tls: z
      .boolean()
      .optional()
      .describe("Speak TLS after connecting and judge the certificate, as for imaps or smtps."),
    tlsConfig: tls.optional(),
    maxSSLExpiry: maxSSLExpiry.optional(),
  })
  .superRefine((spec, context) => {
    if (spec.maxSSLExpiry === undefined || spec.tls) return;
    context.addIssue({
      code: "custom",
      path: ["maxSSLExpiry"],
      message: "There is a certificate only where TLS is spoken: set tls.",
    });
  })
  .describe("TCP connections.");

export type TcpSpec = z.output<typeof tcpSpec>;
