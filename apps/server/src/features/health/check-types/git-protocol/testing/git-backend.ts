import { spawn } from "node:child_process";
import type { RequestListener } from "node:http";

/** Git's own program for repositories over HTTP (`git http-backend`), for a person who signs in. */
export function gitBackend({
  folder,
  login,
  environment,
}: {
  /** Where the repositories are. */
  folder: string;
  login: { username: string; password: string };
  environment: Readonly<Record<string, string>>;
}): RequestListener {
  const basic = `Basic ${Buffer.from(`${login.username}:${login.password}`).toString("base64")}`;
  return (request, response) => {
    if (request.headers.authorization !== basic)
      return void response.writeHead(401, { "www-authenticate": "Basic" }).end();
    const { pathname, searchParams } = new URL(request.url ?? "", "http://a");
    const child = spawn("git", ["http-backend"], {
      env: {
        ...environment,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: "1",
        PATH_INFO: pathname,
        QUERY_STRING: searchParams.toString(),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers["content-type"] ?? "",
        CONTENT_LENGTH: request.headers["content-length"] ?? "",
      },
    });
    request.pipe(child.stdin);
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.once("close", () => {
      const said = Buffer.concat(chunks);
      const end = said.indexOf("\r\n\r\n");
      for (const line of said.toString("latin1", 0, end).split("\r\n")) {
        const [name = "", value = ""] = line.split(/:\s*/, 2);
        if (name === "Status") response.statusCode = Number.parseInt(value, 10);
        else response.setHeader(name, value);
      }
      response.end(said.subarray(end + 4));
    });
    return undefined;
  };
}
