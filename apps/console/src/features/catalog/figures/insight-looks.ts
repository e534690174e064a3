import {
  CircleDollarSign,
  CircleHelp,
  Gauge,
  HeartPulse,
  LifeBuoy,
  Lightbulb,
  Plug,
  Scale,
  ShieldAlert,
  Wrench,
} from "lucide-react";
import type { ComponentType } from "react";
import {
  type AnalysisType,
  insightSeverities,
  type InsightSeverity,
  readAnalysisType,
} from "@mainstay/contract/catalog.ts";
import type { IconMark } from "@mainstay/ui/Icon.tsx";

export const insightTypes: Readonly<
  Record<AnalysisType, { label: string; mark: ComponentType<IconMark> }>
> = {
  availability: { label: "Availability", mark: HeartPulse },
  compliance: { label: "Compliance", mark: Scale },
  cost: { label: "Cost", mark: CircleDollarSign },
  integration: { label: "Integration", mark: Plug },
  other: { label: "Other", mark: CircleHelp },
  performance: { label: "Performance", mark: Gauge },
  recommendation: { label: "Recommendation", mark: Lightbulb },
  reliability: { label: "Reliability", mark: LifeBuoy },
  security: { label: "Security", mark: ShieldAlert },
  technical_debt: { label: "Technical debt", mark: Wrench },
};

/** How a type is shown; one that nobody knows is shown as any other. */
export const lookOfInsight = (type: string | null | undefined) =>
  insightTypes[(type && readAnalysisType(type)) || "other"];

/** Colours of document 2, section 9. */
export const severityColours: Readonly<Record<InsightSeverity, string>> = {
  critical: "text-unhealthy-fg",
  blocker: "text-unhealthy-fg",
  high: "text-warning-fg",
  medium: "text-healthy-fg",
  warning: "text-warning-fg",
  low: "text-healthy-fg",
  info: "text-muted",
};

export const readSeverity = (text: string | null | undefined): InsightSeverity =>
  insightSeverities.find((one) => one === text?.toLowerCase()) ?? "info";
