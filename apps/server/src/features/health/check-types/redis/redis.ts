import type { Socket } from "node:net";
import { checkSpecs, type RedisSpec } from "@mainstay/contract";
import { attempt, checkType, failed, inMs, passed } from "../check-type.ts";
import { placeName } from "#platform/outbound/network-errors.ts";
import { certificateEnds, secure } from "#platform/outbound/tls.ts";
import { certificateExpiry } from "../expiry.ts";
import { converse } from "./converse.ts";
import { readRedisTarget } from "./target.ts";

export const redis = checkType<RedisSpec>({
  type: "redis",
  spec: checkSpecs.redis,
  network: true,
  endpoint(spec) {
    const target = readRedisTarget(spec);
    return target ? placeName(target.host, target.port) : "";
  },
  async run(input) {
    const { spec, connector, signal } = input;
    const target = readRedisTarget(spec);
    if (!target)
      return failed("the url is not a redis address such as redis://host:6379/0 or host:6379", {
        invalid: true,
      });
    const { host, port, username, password, db } = target;
    const place = placeName(host, port);
    const started = performance.now();
    return attempt(input, async () => {
      const plain = await connector.tcp({ host, port }, { signal });
      let socket: Socket = plain;
      let ends: Date | undefined;
      try {
        const { ca, cert, key, insecureSkipVerify } = spec.tlsConfig ?? {};
        if (target.tls) {
          const tls = { insecureSkipVerify, ca: ca?.value, cert: cert?.value, key: key?.value };
          socket = await secure(plain, { host, place, tls, signal });
        }
        const commands = [
          ...(password === undefined ? [] : [["AUTH", ...(username ? [username] : []), password]]),
          ...(db > 0 ? [["SELECT", String(db)]] : []),
          ["PING"],
        ];
        const replies = await converse(socket, commands, { signal, place });
        for (const [index, reply] of replies.entries()) {
          if (reply.kind === "error")
            return failed(`${place} refused ${commands[index]?.[0]}: ${reply.text}`);
        }
        const pong = replies.at(-1)?.text;
        if (pong !== "PONG")
          return failed(`${place} answered "${pong?.slice(0, 100)}" to PING, wanted PONG`);
        ends = target.tls ? certificateEnds(socket) : undefined;
      } finally {
        socket.on("error", () => undefined);
        socket.destroy();
        plain.destroy();
      }
      const durationMs = performance.now() - started;
      const outcome = { durationMs, ...certificateExpiry(ends) };
      return passed(`PONG in ${inMs(durationMs)}`, outcome);
    });
  },
});
