/** The host that a repository is at, as far as its address says one; nothing for folders and for services by name. */
export function repositoryHost(repository: string): { host: string; port: number } | undefined {
  const [, backend = "", rest = ""] =
    /^(s3|rest|sftp|swift|b2|azure|gs|rclone):(.*)$/s.exec(repository) ?? [];
  const at = (text: string, port: number) => {
    if (!URL.canParse(text)) return undefined;
    const url = new URL(text);
    return { host: url.hostname.replace(/^\[|\]$/g, ""), port: Number(url.port) || port };
  };
  switch (backend) {
    case "s3":
    case "rest": {
      const full = /^https?:\/\//i.test(rest) ? rest : `https://${rest.replace(/^\/+/, "")}`;
      return at(full, /^http:/i.test(full) ? 80 : 443);
    }
    case "sftp":
      return rest.startsWith("//")
        ? at(`ssh:${rest}`, 22)
        : at(`ssh://${rest.split(":", 1)[0] ?? ""}`, 22);
    default:
      return undefined;
  }
}
