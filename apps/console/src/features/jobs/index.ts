import { History, Inbox } from "lucide-react";
import type { ConsoleFeature } from "#lib/page.ts";
import { patterns } from "#lib/paths.ts";

/** What runs in the background: the history of jobs, and events on their way to who handles them. */
export const jobs: ConsoleFeature = {
  name: "jobs",
  nav: [
    {
      label: "Jobs History",
      to: patterns.jobs,
      icon: History,
      read: "database",
      feature: "settings.job_history",
      section: "settings",
    },
    {
      label: "Event Queue",
      to: patterns.eventQueue,
      icon: Inbox,
      read: "database",
      feature: "settings.event_queue_status",
      section: "settings",
    },
  ],
  pages: [
    {
      path: patterns.jobs,
      title: "Job History",
      access: "session",
      read: "database",
      feature: "settings.job_history",
      load: () => import("./history/JobHistoryPage.tsx").then((module) => module.JobHistoryPage),
    },
    {
      path: patterns.eventQueue,
      title: "Event Queue",
      access: "session",
      read: "database",
      feature: "settings.event_queue_status",
      load: () => import("./events/EventQueuePage.tsx").then((module) => module.EventQueuePage),
    },
    {
      path: patterns.eventDeliveries,
      title: "Event Deliveries",
      access: "session",
      read: "database",
      feature: "settings.event_queue_status",
      load: () => import("./events/DeliveriesPage.tsx").then((module) => module.DeliveriesPage),
    },
  ],
  contributes: {
    resource: {
      tabs: [
        {
          id: "jobs",
          label: "Job History",
          read: "database",
          feature: "settings.job_history",
          load: () => import("./history/JobHistoryTab.tsx").then((module) => module.JobHistoryTab),
        },
      ],
    },
  },
};
