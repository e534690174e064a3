import type { ConnectionType } from "../connection-type.ts";
import { hidden, number, password, required, text, url, username, value } from "../fields.ts";

export const sftp: ConnectionType = {
  type: "sftp",
  label: "SFTP",
  help: "Files of a server, over SSH.",
  kind: "connection",
  fields: [
    value("url", "Host", required),
    username(required),
    password(required),
    number("properties.port", "Port", { default: "22" }),
  ],
};

export const smb: ConnectionType = {
  type: "smb",
  label: "SMB",
  help: "A share of a Windows or Samba server.",
  kind: "connection",
  fields: [
    value("url", "Server", required),
    username(),
    password(),
    number("properties.port", "Port", { default: "445" }),
    text("properties.share", "Share", required),
    text("properties.domain", "Domain", { help: "Domain of the user, where there is one." }),
    text("properties.workstation", "Workstation", {
      help: "What the server is told that the asking machine is called; mainstay when empty.",
    }),
  ],
};

export const restic: ConnectionType = {
  type: "restic",
  label: "Restic",
  help: "A repository of Restic backups.",
  kind: "connection",
  fields: [
    value("url", "Repository", {
      help: "For example s3:https://s3.example.com/backups",
      ...required,
    }),
    password(required),
    text("properties.awsConnectionName", "AWS Connection", {
      help: "A connection that holds the keys of the store, as connection://namespace/name.",
    }),
    value("properties.accessKey", "Access Key"),
    hidden("properties.secretKey", "Secret Key"),
  ],
};

/** Where documents and runs write: picked among the notifications, as the product has it. */
export const folder: ConnectionType = {
  type: "folder",
  label: "Folder",
  help: "A folder of the server's own machine.",
  kind: "notification",
  fields: [text("properties.path", "Path", required)],
};

export const git: ConnectionType = {
  type: "git",
  label: "Git",
  help: "A Git repository, over HTTPS or SSH.",
  kind: "notification",
  fields: [
    url("For example https://git.example.com/team/site.git", required),
    username(),
    password(),
    hidden("certificate", "SSH Private Key", { input: "multiline" }),
    text("properties.ref", "Ref", {
      help: "A branch, tag or commit.",
      default: "main",
      ...required,
    }),
  ],
};

export const storage = [sftp, smb, restic, folder, git] as const;
