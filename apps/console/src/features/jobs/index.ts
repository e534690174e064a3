import { Inbox } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";

/** What runs in the background: deliveries of events that failed for good. */
export const jobs: ConsoleFeature = {
  name: "jobs",
  nav: [
    {
      label: "Event Deliveries",
      to: "/settings/event-deliveries",
      icon: Inbox,
      read: "database",
      feature: "settings.event_queue_status",
      section: "settings",
    },
  ],
  pages: [
    {
      path: "/settings/event-deliveries",
      title: "Event Deliveries",
      access: "session",
      read: "database",
      feature: "settings.event_queue_status",
      load: () => import("./DeliveriesPage.tsx").then((module) => module.DeliveriesPage),
    },
  ],
};
