import { randomUUID } from "node:crypto";
import type { HostPart } from "@mainstay/contract";

/**
 * Stands before each section of what one survey prints. It is another one each time: what stands in the files of a machine
 * cannot pass for a section.
 */
export const newMark = (): string => `@@mainstay-${randomUUID()} `;

/**
 * What is asked of a machine, a section each, in words that every Linux with a shell knows. Nothing is written, nothing is
 * installed; what is not there is left out. Things that differ at every look (load, free memory) are not asked for.
 */
const sections: Readonly<Record<HostPart | "identity", string>> = {
  identity: `
cat /etc/machine-id 2>/dev/null || cat /var/lib/dbus/machine-id 2>/dev/null || hostname
echo; uname -n`,
  system: `
printf 'kernel=%s\\nmachine=%s\\nhostname=%s\\n' "$(uname -r)" "$(uname -m)" "$(uname -n)"
printf 'cpus=%s\\n' "$(grep -c ^processor /proc/cpuinfo 2>/dev/null)"
sed -n 's/^model name[^:]*: *\\(.*\\)/cpu=\\1/p' /proc/cpuinfo 2>/dev/null | head -n 1
sed -n 's/^MemTotal: *\\([0-9]*\\) kB/memory_kib=\\1/p;s/^SwapTotal: *\\([0-9]*\\) kB/swap_kib=\\1/p' /proc/meminfo 2>/dev/null
sed -n 's/^btime \\(.*\\)/boot=\\1/p' /proc/stat 2>/dev/null
sed 's/^/os./' /etc/os-release 2>/dev/null
printf 'timezone=%s\\n' "$(cat /etc/timezone 2>/dev/null || readlink /etc/localtime 2>/dev/null | sed 's,.*zoneinfo/,,')"
command -v systemd-detect-virt >/dev/null && printf 'virtualisation=%s\\n' "$(systemd-detect-virt 2>/dev/null)"
for one in sys_vendor product_name; do
  [ -r /sys/class/dmi/id/$one ] && printf '%s=%s\\n' $one "$(cat /sys/class/dmi/id/$one)"
done; :`,
  packages: `
if command -v dpkg-query >/dev/null; then
  { dpkg-query -W -f='\${db:Status-Abbrev}\\t\${Package}\\t\${Version}\\t\${Architecture}\\t\${Installed-Size}\\t\${binary:Summary}\\n' 2>/dev/null || unread; } | sed -n "s/^ii \\?\\t/deb\\t/p;/^$MARK/p"
elif command -v rpm >/dev/null; then
  rpm -qa --qf 'rpm\\t%{NAME}\\t%{EVR}\\t%{ARCH}\\t%{SIZE}\\t%{SUMMARY}\\n' 2>/dev/null || unread
elif command -v apk >/dev/null; then
  { apk list -I 2>/dev/null || unread; } | sed -n "s/^\\(.*\\)-\\([0-9][^ ]*-r[0-9]*\\) \\([^ ]*\\) .*/apk\\t\\1\\t\\2\\t\\3\\t\\t/p;/^$MARK/p"
fi`,
  services: `
if command -v systemctl >/dev/null && systemctl is-system-running >/dev/null 2>&1 || [ -d /run/systemd/system ]; then
  systemctl show --type=service --all --property=Id,Description,LoadState,ActiveState,SubState,UnitFileState,FragmentPath,ExecMainStatus '*' 2>/dev/null || unread
fi`,
  ports: `
for one in tcp tcp6 udp udp6; do
  [ -r /proc/net/$one ] && awk -v p=$one 'NR > 1 && ($4 == "0A" || (p ~ /udp/ && $4 == "07")) { print p, $2, $8 }' /proc/net/$one
done
command -v ss >/dev/null && ss -H -ltunp 2>/dev/null | sed 's/^/ss /'; :`,
  certificates: `
IFS=
printf '%s\\n' "$CERTIFICATE_PATHS" | while IFS= read -r place; do
  case $place in /*) ;; *) continue ;; esac
  find $place -maxdepth 4 -type f -size -64k \\( -name '*.pem' -o -name '*.crt' -o -name '*.cer' \\) ! -path '/etc/ssl/certs/*' ! -path '/etc/pki/ca-trust/*' 2>/dev/null
done | sort -u | head -n 500 | while IFS= read -r file; do
  grep -q 'BEGIN CERTIFICATE' "$file" 2>/dev/null || continue
  printf 'file %s\\n' "$file"
  sed -n '/BEGIN CERTIFICATE/,/END CERTIFICATE/p' "$file" 2>/dev/null | sed '/END CERTIFICATE/q'
done`,
  containers: `
for one in docker podman; do
  command -v $one >/dev/null || continue
  $one ps --all --no-trunc --format "$one"'\\t{{.ID}}\\t{{.Names}}\\t{{.Image}}\\t{{.State}}\\t{{.Status}}\\t{{.Ports}}' 2>/dev/null || unread
done; :`,
  users: `getent passwd 2>/dev/null || cat /etc/passwd`,
  filesystems: `{ df -PTk 2>/dev/null || unread; } | sed "1{/^$MARK/!d;}"`,
  networks: `
for one in /sys/class/net/*; do
  [ -e "$one" ] || continue
  printf 'link %s %s %s\\n' "\${one##*/}" "$(cat $one/address 2>/dev/null)" "$(cat $one/operstate 2>/dev/null)"
done
command -v ip >/dev/null && ip -o addr show 2>/dev/null | awk '{ print "addr", $2, $4 }'; :`,
};

/** Where certificates usually are, beside those that every machine trusts. */
export const certificatePlaces = [
  "/etc/letsencrypt/live",
  "/etc/pki/tls/certs",
  "/etc/nginx",
  "/etc/apache2",
  "/etc/httpd",
  "/etc/haproxy",
  "/etc/ssl/private",
  "/etc/kubernetes/pki",
  "/var/lib/rancher",
];

const unread = "unread";

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

/** The script that surveys these parts of a machine. */
export function surveyScript(
  parts: readonly HostPart[],
  { places, mark }: { places: readonly string[]; mark: string },
): string {
  const wanted = ["identity", ...parts] as const;
  return [
    "LC_ALL=C; export LC_ALL; PATH=$PATH:/usr/sbin:/sbin; export PATH",
    `MARK='${mark}'`,
    // What a program could not tell is not gone.
    `unread() { echo "\${MARK}${unread}"; }`,
    `CERTIFICATE_PATHS=${quoted(places.join("\n"))}`,
    ...wanted.map((part) => `echo '${mark}${part}'\n( ${sections[part]}\n)`),
    `echo '${mark}end'`,
  ].join("\n");
}

export interface Survey {
  lines: ReadonlyMap<string, readonly string[]>;
  /** Sections of which a program did not tell all. */
  unread: ReadonlySet<string>;
}

/** What the survey printed, by section. @throws when it ended before its end */
export function readSurvey(text: string, mark: string): Survey {
  const found = new Map<string, string[]>();
  const unfinished = new Set<string>();
  let section = "";
  let lines: string[] = [];
  for (const line of text.split("\n"))
    if (line === mark + unread) unfinished.add(section);
    else if (line.startsWith(mark)) {
      section = line.slice(mark.length);
      found.set(section, (lines = []));
    } else if (line !== "") lines.push(line);
  if (section !== "end") throw new Error("The survey of the machine broke off before its end.");
  return { lines: found, unread: unfinished };
}
