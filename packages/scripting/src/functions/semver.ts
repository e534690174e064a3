/** Versions as semver.org has them; those with fewer numbers and a `v` before them are understood. */

export interface Version {
  major: number;
  minor: number;
  patch: number;
  prerelease: string;
  metadata: string;
}

const pattern =
  /^v?(\d{1,15})(?:\.(\d{1,15}))?(?:\.(\d{1,15}))?(?:-([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?$/;

/** @throws when the text is no version. */
export function parseVersion(text: string): Version {
  const found = pattern.exec(text.trim());
  if (!found) throw new Error(`"${text}" is no version: 1.2.3`);
  const [, major, minor, patch, prerelease = "", metadata = ""] = found;
  return {
    major: Number(major),
    minor: Number(minor ?? 0),
    patch: Number(patch ?? 0),
    prerelease,
    metadata,
  };
}

export function compareVersions(left: Version, right: Version): number {
  return (
    left.major - right.major ||
    left.minor - right.minor ||
    left.patch - right.patch ||
    comparePrereleases(left.prerelease, right.prerelease)
  );
}

function comparePrereleases(left: string, right: string): number {
  // What is released comes after what is to be.
  if (left === "" || right === "") return Number(left === "") - Number(right === "");
  const [one, other] = [left.split("."), right.split(".")];
  for (let place = 0; place < Math.max(one.length, other.length); place += 1) {
    const [a, b] = [one[place], other[place]];
    if (a === undefined || b === undefined) return a === undefined ? -1 : 1;
    const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)];
    if (isNumber !== isOtherNumber) return isNumber ? -1 : 1;
    const difference = isNumber ? Number(a) - Number(b) : a < b ? -1 : a > b ? 1 : 0;
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Whether a version is as a constraint says: `>= 1.2, < 2`, `^1.2.3`, `~1.2`, `1.2.x`, `1 - 2`, any of those beside `||`. */
export function satisfies(version: string, constraint: string): boolean {
  const parsed = parseVersion(version);
  return constraint.split("||").some((part) => {
    const all = part
      .replace(/(\S+)\s+-\s+(\S+)/g, ">=$1 <=$2")
      .replace(/(>=|<=|=>|=<|!=|[<>=~^])\s+/g, "$1")
      .split(/[\s,]+/)
      .filter(Boolean);
    return all.length > 0 && all.every((one) => holds(parsed, one));
  });
}

function holds(version: Version, constraint: string): boolean {
  const found =
    /^(>=|=>|<=|=<|!=|>|<|=|~>?|\^)?v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(-[0-9A-Za-z.-]+)?(?:\+.*)?$/.exec(
      constraint,
    );
  if (!found) throw new Error(`"${constraint}" is no constraint on versions: >= 1.2`);
  const [, operator = "", ...numbers] = found;
  const [major, minor, patch] = numbers
    .slice(0, 3)
    .map((one) => (one === undefined || /[xX*]/.test(one) ? undefined : Number(one)));
  if (major === undefined) return operator !== "!=" && operator !== ">" && operator !== "<";
  const prerelease = (numbers[3] ?? "").slice(1);
  // What is to be released only where a constraint speaks of such versions.
  if (version.prerelease !== "" && prerelease === "" && operator !== "!=") return false;
  const least = { major, minor: minor ?? 0, patch: patch ?? 0, prerelease, metadata: "" };
  /** The first version that a shortened one does not mean any more. */
  const next =
    minor === undefined
      ? { ...least, major: major + 1, minor: 0, patch: 0, prerelease: "" }
      : patch === undefined
        ? { ...least, minor: minor + 1, patch: 0, prerelease: "" }
        : undefined;
  const isFrom = compareVersions(version, least) >= 0;
  const isIn = next
    ? isFrom && compareVersions(version, next) < 0
    : compareVersions(version, least) === 0;
  switch (operator) {
    case ">":
      return next ? compareVersions(version, next) >= 0 : compareVersions(version, least) > 0;
    case ">=":
    case "=>":
      return isFrom;
    case "<":
      return !isFrom;
    case "<=":
    case "=<":
      return next ? compareVersions(version, next) < 0 : compareVersions(version, least) <= 0;
    case "!=":
      return !isIn;
    case "~":
    case "~>":
      return isFrom && version.major === major && (minor === undefined || version.minor === minor);
    case "^":
      if (!isFrom || version.major !== major) return false;
      if (major > 0 || minor === undefined) return true;
      return (
        version.minor === minor && (minor > 0 || patch === undefined || version.patch === patch)
      );
    default:
      return isIn;
  }
}
