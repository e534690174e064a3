import { Inbox } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { patterns } from "#lib/paths.ts";

/** What runs in the background: deliveries of events that failed for good. */
export const jobs: ConsoleFeature = {
  name: "jobs",
  nav: [
    {
      label: "Event Deliveries",
      to: patterns.eventDeliveries,
      icon: Inbox,
      read: "database",
      feature: "settings.event_queue_status",
      section: "settings",
    },
  ],
  pages: [
    {
      path: patterns.eventDeliveries,
      title: "Event Deliveries",
      access: "session",
      read: "database",
      feature: "settings.event_queue_status",
      load: () => import("./DeliveriesPage.tsx").then((module) => module.DeliveriesPage),
    },
  ],
};
