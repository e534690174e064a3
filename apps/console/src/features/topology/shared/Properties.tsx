import { ExternalLink } from "lucide-react";
import { Age } from "@mainstay/ui/Age.tsx";
import { Badge } from "@mainstay/ui/Badge.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import { type ShownProperty, usageAlarm } from "./properties.ts";

const tones = {
  unhealthy: "text-unhealthy-fg",
  warning: "text-warning-fg",
  healthy: "text-healthy-fg",
} as const;

function Outside({ url, text }: { url: string; text: string }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="relative z-10 inline-flex max-w-full min-w-0 items-center gap-1 text-accent hover:underline"
      data-tooltip={url}
    >
      <span className="truncate">{text}</span>
      <ExternalLink aria-hidden="true" size={12} strokeWidth={1.75} className="shrink-0" />
    </a>
  );
}

function Usage({ percent }: { percent: number }) {
  const isAlarming = percent > usageAlarm;
  return (
    <span aria-hidden="true" className="block h-1 w-full overflow-hidden rounded-bar bg-hover">
      <span
        className={classNames("block h-full", isAlarming ? "bg-unhealthy" : "bg-accent")}
        style={{ width: `${Math.min(100, percent)}%` }}
      />
    </span>
  );
}

const percentText = (percent: number) => `${Math.round(percent)}%`;

/** What a property says. */
export function PropertyValue({ property }: { property: ShownProperty }) {
  const { text, age, url, links, usage, isBadge } = property;
  const tone =
    usage !== undefined && usage > usageAlarm
      ? tones.unhealthy
      : property.tone && tones[property.tone];
  const said =
    age !== undefined ? (
      <Age at={age} />
    ) : url !== undefined ? (
      <Outside url={url} text={text || url} />
    ) : isBadge && text !== "" ? (
      <Badge tone={property.tone ?? "plain"}>{text}</Badge>
    ) : (
      text !== "" && (
        <span className="truncate" data-tooltip={property.exact ?? text}>
          {text}
        </span>
      )
    );
  return (
    <span className={classNames("flex min-w-0 flex-col gap-0.5", tone)}>
      {(said !== false || usage !== undefined) && (
        <span className="flex min-w-0 items-baseline gap-1.5 tabular-nums">
          {said}
          {usage !== undefined && !text.endsWith("%") && (
            <span className={classNames("shrink-0 text-2xs", !tone && "text-muted")}>
              {percentText(usage)}
            </span>
          )}
        </span>
      )}
      {links.map((link, index) => (
        <Outside key={`${index} ${link.url}`} {...link} />
      ))}
      {usage !== undefined && <Usage percent={usage} />}
    </span>
  );
}

/** Those that matter most, large, side by side. */
export function Headlines({ properties }: { properties: readonly ShownProperty[] }) {
  return (
    <dl className="m-0 flex min-w-0 flex-wrap gap-x-4 gap-y-1">
      {properties.map((property) => (
        <div key={property.key} className="flex max-w-full min-w-12 flex-col-reverse">
          <dt className="truncate text-2xs text-muted" data-tooltip={property.tooltip}>
            {property.label}
          </dt>
          <dd className="m-0 min-w-0 text-md font-semibold">
            <PropertyValue property={property} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** A line each: what it is called, and what it says. */
export function PropertyLines({ properties }: { properties: readonly ShownProperty[] }) {
  return (
    <dl className="m-0 flex min-w-0 flex-col gap-0.5 text-xs">
      {properties.map((property) => (
        <div key={property.key} className="grid grid-cols-[40%_minmax(0,1fr)] items-baseline gap-2">
          <dt className="truncate text-muted" data-tooltip={property.tooltip ?? property.label}>
            {property.label}
          </dt>
          <dd className="m-0 min-w-0">
            <PropertyValue property={property} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
