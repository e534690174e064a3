// Real programs that tests and benchmarks stand beside, as Debian packages.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

/** By the package: the program that shows that it is there. */
const programs = {
  chromium: "/usr/bin/chromium",
  "redis-server": "/usr/bin/redis-server",
  "mariadb-server": "/usr/sbin/mariadbd",
  "dnsmasq-base": "/usr/sbin/dnsmasq",
  slapd: "/usr/sbin/slapd",
  samba: "/usr/sbin/smbd",
  "openssh-server": "/usr/sbin/sshd",
  "iputils-ping": "/usr/bin/ping",
  openssl: "/usr/bin/openssl",
  nginx: "/usr/sbin/nginx",
  prometheus: "/usr/bin/prometheus",
  "prometheus-alertmanager": "/usr/bin/prometheus-alertmanager",
  restic: "/usr/bin/restic",
  git: "/usr/bin/git",
  curl: "/usr/bin/curl",
  wrk: "/usr/bin/wrk",
};

export const testPeers = Object.keys(programs).filter((name) => name !== "wrk");

const isMissing = (name) =>
  ![programs[name], programs[name].replace("/usr", "")].some((program) => existsSync(program));

/** Installs what is missing of these packages where that is possible, and says what is not there afterwards. */
export function installPeers(packages) {
  const missing = packages.filter(isMissing);
  if (missing.length === 0) return;
  if (existsSync("/usr/bin/apt-get") && process.getuid?.() === 0) {
    console.log(`Installing ${missing.join(", ")} ...`);
    const options = {
      stdio: ["ignore", "ignore", "inherit"],
      env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
    };
    spawnSync("apt-get", ["update", "-q"], options);
    spawnSync("apt-get", ["install", "-y", "-q", "--no-install-recommends", ...missing], options);
  }
  const absent = missing.filter(isMissing);
  if (absent.length > 0)
    console.log(
      `Not installed (needs apt-get and root): ${absent.join(", ")}. Tests that need them will be skipped and counted so.`,
    );
}
