import type { ConnectionField, ConnectionType } from "./connection-type.ts";
import { clouds } from "./types/clouds.ts";
import { databases } from "./types/databases.ts";
import { messengers } from "./types/messengers.ts";
import { hostedNotifications } from "./types/notifications.ts";
import { furtherFields, services } from "./types/services.ts";
import { storage } from "./types/storage.ts";

/** Every type there is, by its label. */
export const connectionTypes: readonly ConnectionType[] = [
  ...databases,
  ...services,
  ...clouds,
  ...storage,
  ...messengers,
  ...hostedNotifications,
].toSorted((a, b) => a.label.localeCompare(b.label, "en", { sensitivity: "base" }));

const byName = new Map(connectionTypes.map((one) => [one.type, one]));

export const connectionType = (type: string): ConnectionType | undefined => byName.get(type);

/** What may stand in a row of a type: what its form asks for, and what documents may say beyond that. */
export const fieldsOf = (type: string): readonly ConnectionField[] => [
  ...(byName.get(type)?.fields ?? []),
  ...(furtherFields[type] ?? []),
];
