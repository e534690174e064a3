import type { EnvVar, FolderSpec } from "@mainstay/contract";
import type { Connector } from "../connector.ts";
import { googleObject, googleObjects } from "../google/google-storage.ts";
import { s3Client } from "../s3/s3-client.ts";
import { type FileStore, FolderError } from "./file-store.ts";
import { localFiles } from "./local-files.ts";
import { objectFiles } from "./object-files.ts";
import { type PathPattern, readPathPattern } from "./path-pattern.ts";

/** How documents name a folder, and who signs in where it is. */
export type FolderFields = Pick<
  FolderSpec,
  "path" | "recursive" | "awsConnection" | "gcpConnection" | "sftpConnection" | "smbConnection"
>;

/** Of which kind a folder is, as its path and its connections say; `azblob` is known and read by nobody. */
type Backend = "s3" | "gcs" | "smb" | "sftp" | "local";

interface Place {
  backend: Backend;
  /** Bucket or server; nothing for folders of this machine, and for SFTP where the connection says it. */
  host: string;
  path: string;
}

/** Reads where a path leads. */
export function readFolderPath({
  path,
  sftpConnection,
  smbConnection,
}: Pick<FolderFields, "path" | "sftpConnection" | "smbConnection">): Place {
  const [, scheme = "", rest = ""] = /^([a-z0-9]+):\/\/(.*)$/is.exec(path) ?? [];
  const split = (text: string) => {
    const [host = "", ...parts] = text.replaceAll("\\", "/").split("/");
    return { host, path: parts.join("/") };
  };
  switch (scheme.toLowerCase()) {
    case "s3":
      return { backend: "s3", ...split(rest) };
    case "gcs":
    case "gs":
      return { backend: "gcs", ...split(rest) };
    case "smb":
      return { backend: "smb", ...split(rest) };
    case "sftp": {
      const { host, path: below } = split(rest);
      return { backend: "sftp", host, path: `/${below}` };
    }
    case "":
      break;
    default:
      throw new FolderError("configuration_error", `${scheme}:// folders are not known`);
  }
  if (path.startsWith("\\\\")) return { backend: "smb", ...split(path.slice(2)) };
  // Whoever may name another machine may not therefore read this one: without a host it is an error.
  if (sftpConnection) return { backend: "sftp", host: "", path };
  if (smbConnection) return { backend: "smb", host: "", path: path.replaceAll("\\", "/") };
  return { backend: "local", host: "", path };
}

const valueOf = (value: EnvVar | undefined) => value?.value || undefined;

function needed(text: string | undefined, what: string): string {
  if (text) return text;
  throw new FolderError("configuration_error", `the document does not say ${what}`);
}

/** The host that is asked: where the path and the connection both name one, it is the same. */
function hostOf(inPath: string, ofConnection: string | undefined): string {
  const bare = (text: string) => text.replaceAll(/^\[|\]$/g, "").toLowerCase();
  const host = bare(needed(inPath || ofConnection, "which host to ask"));
  if (/[^\w.:-]/.test(host))
    throw new FolderError(
      "configuration_error",
      `"${host.slice(0, 200)}" is not the name of a host`,
    );
  // The credentials of a connection are for its own host, whatever path a document gives.
  if (ofConnection && host !== bare(ofConnection))
    throw new FolderError(
      "configuration_error",
      `the path names the host ${host} and the connection ${ofConnection}: leave one of them out`,
    );
  return host;
}

export interface OpenStore {
  store: FileStore;
  pattern: PathPattern;
}

/** Opens the folder that a spec names. @throws FolderError, or what the store refuses */
export async function openStore(
  spec: FolderFields,
  options: { signal: AbortSignal; connector: Connector },
): Promise<OpenStore> {
  const { backend, host, path } = readFolderPath(spec);
  const isRecursive = spec.recursive === true;
  switch (backend) {
    case "local": {
      const pattern = readPathPattern(path, isRecursive);
      return { store: localFiles(pattern.root === "" ? "." : pattern.root), pattern };
    }
    case "s3": {
      const { accessKey, secretKey, sessionToken, objectPath, ...where } = spec.awsConnection ?? {};
      const bucket = needed(host || where.bucket, "which bucket");
      const pattern = readPathPattern(path || objectPath || "", true);
      const client = await s3Client(
        {
          ...where,
          bucket,
          accessKey: valueOf(accessKey),
          secretKey: valueOf(secretKey),
          sessionToken: valueOf(sessionToken),
        },
        options,
      );
      return { store: objectFiles(client.place, pattern.root, client), pattern };
    }
    case "gcs": {
      const { credentials, endpoint, skipTLSVerify, bucket: named } = spec.gcpConnection ?? {};
      const bucket = needed(host || named, "which bucket");
      const pattern = readPathPattern(path, true);
      const access = { bucket, endpoint, skipTLSVerify, credentials: valueOf(credentials) };
      return {
        store: objectFiles(`the bucket ${bucket}`, pattern.root, {
          list: (prefix) => googleObjects(access, prefix, options),
          read: (key, most) => googleObject(access, { key, most }, options),
        }),
        pattern,
      };
    }
    case "sftp": {
      const { username, password, privateKey, hostKey, ...at } = spec.sftpConnection ?? {};
      const pattern = readPathPattern(path, isRecursive);
      const { sftpFiles } = await import("./sftp-files.ts");
      const target = {
        host: hostOf(host, at.host),
        port: at.port ?? 22,
        username: needed(valueOf(username), "who signs in"),
        password: valueOf(password),
        privateKey: valueOf(privateKey),
        hostKey,
      };
      return { store: await sftpFiles(pattern.root, target, options), pattern };
    }
    case "smb": {
      const target = smbTarget(spec.smbConnection, host, path);
      const pattern = readPathPattern(target.path, isRecursive);
      const { smbFiles } = await import("./smb-files.ts");
      return { store: await smbFiles(pattern.root, target, options), pattern };
    }
  }
}

/** Whom to ask for which share of a Windows or Samba server, and the path inside it. */
function smbTarget(connection: FolderFields["smbConnection"], host: string, path: string) {
  const { username, password, port, domain, workstation, searchPath, ...at } = connection ?? {};
  const ownShare = at.share || at.sharename;
  // A path with a host names the share before anything else.
  const [first = "", ...inside] = host === "" ? ["", path] : path.split("/");
  return {
    host: hostOf(host, at.host),
    port: port ?? 445,
    share: needed(first || ownShare, "which share"),
    path: inside.join("/").replace(/^\/+$/, "") || searchPath?.replaceAll("\\", "/") || "",
    login: {
      username: valueOf(username) ?? "",
      password: valueOf(password) ?? "",
      domain: domain || undefined,
      workstation: workstation || undefined,
    },
  };
}
