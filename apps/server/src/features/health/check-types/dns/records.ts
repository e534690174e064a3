import type { Answer } from "dns-packet";
import ipaddr from "ipaddr.js";
import type { DnsQueryType } from "@mainstay/contract";

/** The name under which an address is looked up in reverse. */
export function reverseName(address: string): string {
  const parsed = ipaddr.parse(address);
  if (parsed.kind() === "ipv4")
    return `${parsed.toByteArray().toReversed().join(".")}.in-addr.arpa`;
  const digits = parsed
    .toByteArray()
    .flatMap((byte) => [(byte >> 4).toString(16), (byte & 15).toString(16)]);
  return `${digits.toReversed().join(".")}.ip6.arpa`;
}

/** The records of the wanted type as texts; aliases on the way to them do not count. */
export function textsOf(answers: readonly Answer[], type: DnsQueryType): string[] {
  return answers.flatMap((answer) => {
    if (answer.type !== type) return [];
    switch (answer.type) {
      case "MX":
        return [`${answer.data.exchange} ${answer.data.preference ?? 0}`];
      case "SRV":
        return [
          `${answer.data.target} ${answer.data.port} ${answer.data.priority ?? 0} ${answer.data.weight ?? 0}`,
        ];
      case "TXT": {
        const parts = Array.isArray(answer.data) ? answer.data : [answer.data];
        return [
          parts.map((part) => (typeof part === "string" ? part : part.toString("utf8"))).join(""),
        ];
      }
      case "A":
      case "AAAA":
      case "CNAME":
      case "NS":
      case "PTR":
        return [answer.data];
      default:
        return [];
    }
  });
}
