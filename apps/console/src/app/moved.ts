/** Addresses that lead to a page of another name. They exist when the page does. */
export interface Moved {
  from: string;
  to: string;
  /** Whether what follows in the address is kept: `/config/x` becomes `/catalog/x`. */
  andBelow?: true;
}

export const moved: readonly Moved[] = [
  { from: "/configs", to: "/catalog" },
  { from: "/config", to: "/catalog", andBelow: true },
  { from: "/settings/notifications", to: "/notifications", andBelow: true },
  { from: "/notifications/silenced", to: "/notifications/silences" },
  { from: "/settings/event-deliveries", to: "/settings/event-queue-status/deliveries" },
  // Where an identity service sends people who recovered their account, and where the reference restarts its flow.
  { from: "/settings", to: "/profile-settings" },
];

/** Where an address that has moved leads. */
export const movedTo = ({ from, to }: Moved, path: string): string =>
  `${to}${path.slice(from.length)}`;
