import { checkSpecs, supportedCheckTypes } from "@mainstay/contract/canary/index.ts";
import type { TypeGridItem } from "@mainstay/ui/choice/TypeGrid.tsx";
import { CheckTypeIcon } from "../../check/CheckTypeIcon.tsx";
import { checkTypeLabel } from "#lib/documents/form/check-type-label.ts";

const byLabel = (one: TypeGridItem, other: TypeGridItem) => one.label.localeCompare(other.label);

const types = supportedCheckTypes.map((type) => ({
  value: type as string,
  label: checkTypeLabel(type),
  help: checkSpecs[type].description ?? "",
  icon: <CheckTypeIcon type={type} />,
}));

/** Folders elsewhere are types of their own to whoever looks for one: what such a check begins with. */
const folders: Readonly<Record<string, { help: string; begin: object }>> = {
  gcs: { help: "Files in a bucket of Google Cloud Storage.", begin: { gcpConnection: {} } },
  sftp: { help: "Files of a server, over SSH.", begin: { sftpConnection: {} } },
  smb: { help: "Files of a share of Windows or Samba.", begin: { smbConnection: {} } },
};
const elsewhere = Object.entries(folders).map(([value, { help }]) => ({
  value,
  label: checkTypeLabel(value),
  help,
  icon: <CheckTypeIcon type="folder" />,
}));

/** What most checks are, in this order. */
const often = ["http", "tcp", "icmp", "dns", "exec", "postgres", "kubernetes", "heartbeat"];
const all = [...types, ...elsewhere].toSorted(byLabel);

/** All types to pick one of, with one line each. */
export const typeTiles = [
  {
    label: "Often used",
    items: often.flatMap((type) => all.filter(({ value }) => value === type)),
  },
  { label: "All others", items: all.filter(({ value }) => !often.includes(value)) },
];

/** The type behind a tile, and what a check of it begins with. */
export const pickedType = (tile: string): { type: string; begin: object } =>
  Object.hasOwn(folders, tile)
    ? { type: "folder", begin: folders[tile]!.begin }
    : { type: tile, begin: {} };
