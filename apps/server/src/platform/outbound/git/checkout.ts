import { isAbsolute, normalize } from "node:path";
import type { ExecSpec } from "@mainstay/contract";
import type { Connector } from "../connector.ts";
import { fillCredentials, portOf, splitUserInfo } from "../http/address.ts";
import type { Preparation, ScriptFile } from "../programs.ts";

/** How documents name a repository, and who signs in where it is. */
export type CheckoutFields = NonNullable<ExecSpec["checkout"]>;

/** Of one file that git writes, in KiB: what it fetches comes as one pack. */
const mostPackKiB = 512 * 1024;
/** Of all files of a checked out tree together, in bytes, and how many they may be. */
const mostTreeBytes = 1024 * 1024 * 1024;
const mostTreeFiles = 100_000;
const defaultFolder = "checkout";

/** The document is wrong; the message says what. */
export class WrongCheckout extends Error {}

export interface Checkout {
  /** Inside the working directory; the script starts there. */
  folder: string;
  /** Fit to be shown. */
  address: string;
  before: Preparation;
}

/*
 * What is fetched is counted before it is written out: a small pack may hold a large tree. Nothing of the repository
 * is run: no hook, no filter, no helper; only these ways to reach one are known.
 */
const text = `
set -eu
ulimit -f ${mostPackKiB}
git init -q -- "$CHECKOUT_FOLDER"
cd -- "$CHECKOUT_FOLDER"
git remote add origin "$CHECKOUT_ADDRESS"
if [ "$CHECKOUT_DEPTH" = 0 ]; then depth=; else depth="--depth=$CHECKOUT_DEPTH"; fi
git fetch -q --no-tags --no-recurse-submodules $depth origin "$CHECKOUT_REF"
git ls-tree -r -l FETCH_HEAD | awk '
  { bytes += $4; files += 1 }
  bytes > ${mostTreeBytes} || files > ${mostTreeFiles} {
    print "its files are more than ${mostTreeFiles} or ${mostTreeBytes} bytes" > "/dev/stderr"
    exit 1
  }'
git checkout -q --detach FETCH_HEAD
git rev-parse HEAD
`;

/** Names and passwords come from variables, so that they stand in no argument. */
const askpass = `#!/bin/sh
case "$1" in
  [Uu]sername*) printf '%s\\n' "$CHECKOUT_USERNAME" ;;
  *) printf '%s\\n' "$CHECKOUT_PASSWORD" ;;
esac
`;

/** ssh refuses users without an entry in the password file; in a namespace of its own it has one. */
const ssh = `#!/bin/sh
set -- -F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR \\
  -o NumberOfPasswordPrompts=1 -o ConnectionAttempts=1 "$@"
if [ -n "\${CHECKOUT_KEY:-}" ]; then set -- -i "$CHECKOUT_KEY" -o IdentitiesOnly=yes -o BatchMode=yes "$@"; fi
if id -un >/dev/null 2>&1; then exec ssh "$@"; fi
if unshare --map-root-user true 2>/dev/null; then exec unshare --map-root-user ssh "$@"; fi
echo "ssh needs a user with a name, and this machine does not let scripts have a namespace of their own" >&2
exit 255
`;

const settings = `[core]
	hooksPath = /dev/null
[safe]
	directory = *
[http]
	followRedirects = false
[credential]
	helper =
[advice]
	detachedHead = false
`;

function folderOf({ destination }: CheckoutFields): string {
  if (destination === undefined || destination === "") return defaultFolder;
  const plain = normalize(destination);
  if (isAbsolute(plain) || plain === ".." || plain.startsWith("../"))
    throw new WrongCheckout("checkout.destination leads out of the script's folder");
  return plain;
}

interface Address {
  text: string;
  username: string;
  password: string;
  /** What the address policy judges; none of a repository on this machine. */
  host?: { host: string; port: number };
}

function addressOf(spec: CheckoutFields): Address {
  const username = spec.username?.value ?? "";
  const password = spec.password?.value ?? "";
  const written = fillCredentials(spec.url ?? spec.connection ?? "", username, password).trim();
  if (written === "") throw new WrongCheckout("checkout needs a url");
  // user@host:path, as ssh writes it.
  const short = /^(?:([\w.-]+)@)?([\w.-]+):(?!\/\/|:)(.+)$/.exec(written);
  if (short) {
    const [, user = username || "git", host = "", path = ""] = short;
    return { text: `${user}@${host}:${path}`, username: user, password, host: { host, port: 22 } };
  }
  if (written.startsWith("/")) return { text: written, username, password };
  const address = /^[\w-]+(\.[\w-]+)+\/[^:]+$/.test(written) ? `https://${written}` : written;
  if (!/^(https?|ssh|file):\/\//i.test(address) || !URL.canParse(address))
    throw new WrongCheckout(
      "checkout.url is not the address of a repository such as https://host/path, ssh://git@host/path or git@host:path",
    );
  const { url, credentials } = splitUserInfo(new URL(address));
  const own = {
    username: username || credentials?.username || "git",
    password: password || credentials?.password || "",
  };
  if (url.protocol === "file:") return { text: url.href, ...own };
  if (url.protocol !== "ssh:")
    return { text: url.href, ...own, host: { host: url.hostname, port: portOf(url) } };
  url.username = own.username;
  return { text: url.href, ...own, host: { host: url.hostname, port: Number(url.port || 22) } };
}

/** What is done before the script. @throws WrongCheckout */
export async function prepareCheckout(
  spec: CheckoutFields,
  { connector, signal }: { connector: Connector; signal: AbortSignal },
): Promise<Checkout> {
  const folder = folderOf(spec);
  const { text: address, username, password, host } = addressOf(spec);
  const ref = spec.branch?.trim() || "HEAD";
  if (!/^[\w./@+-]+$/.test(ref) || ref.startsWith("-"))
    throw new WrongCheckout("checkout.branch is not the name of a branch, a tag or a commit");
  if (host) await connector.judge({ ...host, host: host.host.replace(/^\[|\]$/g, "") }, { signal });
  const certificate = spec.certificate?.value;
  const files: ScriptFile[] = [
    { name: "askpass", text: askpass, variable: "GIT_ASKPASS", isProgram: true },
    { name: "ssh", text: ssh, variable: "GIT_SSH", isProgram: true },
    { name: "gitconfig", text: settings, variable: "GIT_CONFIG_GLOBAL" },
    ...(certificate
      ? [{ name: "key", text: `${certificate.trim()}\n`, variable: "CHECKOUT_KEY" }]
      : []),
  ];
  const askpassForSsh = {
    name: "askpass-ssh",
    text: askpass,
    variable: "SSH_ASKPASS",
    isProgram: true,
  };
  return {
    folder,
    address,
    before: {
      text,
      env: {
        CHECKOUT_FOLDER: folder,
        CHECKOUT_ADDRESS: address,
        CHECKOUT_REF: ref,
        CHECKOUT_DEPTH: String(spec.depth ?? 1),
        CHECKOUT_USERNAME: username,
        CHECKOUT_PASSWORD: password,
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_TERMINAL_PROMPT: "0",
        GIT_ALLOW_PROTOCOL: "file:http:https:ssh",
        GIT_SSH_VARIANT: "ssh",
        ...(password !== "" && { SSH_ASKPASS_REQUIRE: "force" }),
      },
      files: password === "" ? files : [...files, askpassForSsh],
    },
  };
}
