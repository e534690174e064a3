import { NotTried } from "#platform/outbound/not-tried.ts";
import { ask } from "../dns/ask.ts";
import { systemServer } from "../dns/system-server.ts";
import type { CheckInput } from "../check-type.ts";
import { type MongodbTarget, withOptions } from "./target.ts";

const mostHosts = 20;

/**
 * Of a mongodb+srv address the hosts and options that the name service lists, all in the domain of the name itself: a
 * name service may not send a password elsewhere.
 */
export async function findHosts(
  { signal, connector }: Pick<CheckInput<unknown>, "signal" | "connector">,
  target: MongodbTarget,
): Promise<MongodbTarget> {
  const [named] = target.hosts;
  if (!target.isSrv || !named) return target;
  const server = systemServer();
  if (!server) throw new NotTried("this machine has no name server configured");
  const name = named.host.replace(/\.$/, "");
  const query = (type: "SRV" | "TXT", asked: string) =>
    ask({
      name: asked,
      type,
      address: server.host,
      port: server.port,
      isOwn: true,
      signal,
      connector,
    });
  const { rcode, answers = [] } = await query("SRV", `_mongodb._tcp.${name}`);
  const hosts = answers.flatMap((answer) =>
    answer.type === "SRV" ? [{ host: answer.data.target, port: answer.data.port }] : [],
  );
  if (hosts.length === 0) throw new Error(`the name service lists no hosts for ${name} (${rcode})`);
  const domain = name.split(".").slice(1).join(".").toLowerCase();
  const strange = hosts.find(({ host }) => !host.toLowerCase().endsWith(`.${domain}`));
  if (strange)
    throw new Error(`the name service lists ${strange.host}, which is not in the domain ${domain}`);
  const texts = (await query("TXT", name)).answers ?? [];
  const options = texts.flatMap((answer) =>
    answer.type === "TXT" ? [[answer.data].flat().map(String).join("")] : [],
  );
  return { ...withOptions(target, options[0] ?? ""), hosts: hosts.slice(0, mostHosts) };
}
