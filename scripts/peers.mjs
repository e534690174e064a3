// Real programs that tests and benchmarks stand beside: Debian packages, and JMeter as its own project releases it.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** By the package: the program that shows that it is there. */
const programs = {
  "chromium-headless-shell": "/usr/bin/chromium-headless-shell",
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
  "docker-registry": "/usr/bin/docker-registry",
  git: "/usr/bin/git",
  curl: "/usr/bin/curl",
  "systemd-journal-remote": "/usr/lib/systemd/systemd-journal-remote",
  wrk: "/usr/bin/wrk",
  maven: "/usr/bin/mvn",
};

/** For JMeter: where it goes, and the program that tests find. */
const jmeterHome = "/usr/local/lib/mainstay-jmeter";
const jmeterProgram = "/usr/local/bin/jmeter";

export const testPeers = Object.keys(programs).filter((name) => name !== "wrk" && name !== "maven");

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

/**
 * Debian's JMeter (2.13) refuses every plan, because the XStream beside it forbids the class that plans begin with. So the
 * parts that the project itself releases are laid out as its archive has them: 70 MB, and a download of 100 MB.
 */
export function installJmeter() {
  if (existsSync(jmeterProgram)) return;
  const canInstall = process.getuid?.() === 0;
  if (canInstall) installPeers(["maven"]);
  if (!canInstall || !existsSync(programs.maven)) {
    console.log(
      "Not installed (needs Maven and root): JMeter. Tests that need it will be skipped.",
    );
    return;
  }
  console.log("Installing JMeter ...");
  const folder = mkdtempSync(join(tmpdir(), "mainstay-jmeter-"));
  try {
    copyFileSync(join(import.meta.dirname, "jmeter.xml"), join(folder, "pom.xml"));
    const home = join(folder, "home");
    mkdirSync(home);
    const { status } = spawnSync(
      "mvn",
      [
        "--quiet",
        "--batch-mode",
        "--strict-checksums",
        `--file=${join(folder, "pom.xml")}`,
        `-Dmaven.repo.local=${join(folder, "repository")}`,
        `-Djmeter.home=${home}`,
        "package",
      ],
      { stdio: ["ignore", "ignore", "inherit"], timeout: 600_000 },
    );
    if (status !== 0) {
      console.log(
        "Not installed (Maven could not fetch it): JMeter. Tests that need it will be skipped.",
      );
      return;
    }
    // Plans of tests are over before a better compiler would pay.
    writeFileSync(
      join(folder, "jmeter"),
      `#!/bin/sh\nexec java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Djava.awt.headless=true -jar ${jmeterHome}/bin/ApacheJMeter.jar "$@"\n`,
    );
    rmSync(jmeterHome, { recursive: true, force: true });
    // The program comes last: where it is, all of it is.
    for (const [command, ...args] of [
      ["cp", "-r", home, jmeterHome],
      ["chmod", "-R", "a+rX", jmeterHome],
      ["install", "-m", "755", join(folder, "jmeter"), jmeterProgram],
    ])
      if (spawnSync(command, args, { stdio: ["ignore", "ignore", "inherit"] }).status !== 0)
        throw new Error(`JMeter could not be laid out: ${command} failed`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
