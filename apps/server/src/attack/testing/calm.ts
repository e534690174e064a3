import type { Reply } from "../../testing/app.ts";

/** What an answer must never hold: where the program lies, how it is made, what it asked the database. */
const telling: readonly [what: string, shape: RegExp][] = [
  ["a stack", /\bat (?:async )?[\w.<>]+ \((?:file|node|\/)|\bat file:|\.(?:ts|js|mjs):\d+:\d+/],
  ["a file", /\/(?:apps|packages|node_modules|var\/lib|home|root|usr\/lib)\/[\w@.-]+/],
  ["SQL", /\bselect\b[^"]*\bfrom\b[^"]*\bwhere\b|\binsert into\b|json_agg|recordset|LINE \d+:/i],
];

/** Why an answer is not the calm one of a server that knows what it does; nothing when it is. */
export function alarm({ status, text }: Pick<Reply, "status" | "text">, sent = ""): string[] {
  // Where there is no cluster to hand requests on to, that is said with its own status.
  const isFault = status >= 500 && status !== 501;
  // What was sent may be said again.
  const echoes = [sent, JSON.stringify(sent).slice(1, -1)].filter((echo) => echo !== "");
  const said = echoes.reduce((rest, echo) => rest.replaceAll(echo, ""), text);
  return [
    ...(isFault ? [`${status}: ${text.slice(0, 200)}`] : []),
    ...telling
      .filter(([, shape]) => shape.test(said))
      .map(([what, shape]) => `tells ${what}: ${shape.exec(said)![0]}`),
  ];
}
