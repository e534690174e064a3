import { memo, type ReactNode, useState } from "react";
import { classNames } from "@mainstay/ui/class-names.ts";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { StatusDot, type Tone } from "@mainstay/ui/StatusDot.tsx";
import { AppLink } from "#lib/AppLink.tsx";
import { type AnyComponent, below } from "../queries.ts";
import { useComponentPath } from "./component-links.ts";
import { cardWords, healthWord, ownStatus, toneOf } from "./component-words.ts";
import { shownAtFirst, type ShownProperty, shownProperties } from "./properties.ts";
import { useWhy } from "./use-why.ts";
import { CountMarks } from "./CountMarks.tsx";
import { Headlines, PropertyLines } from "./Properties.tsx";

/** Document 2, section 2: what is wrong has a border of its colour. */
const borders: Readonly<Record<Tone, string>> = {
  unhealthy: "border-unhealthy",
  warning: "border-warning",
  healthy: "",
  unknown: "",
  info: "",
};

/** A component that hangs below that of the card: how it is, and the way to it. */
function ChildLine({ child }: { child: AnyComponent }) {
  const pathOf = useComponentPath();
  const tone = toneOf(child);
  const status = ownStatus(child);
  return (
    <li className="flex min-w-0 items-center gap-1.5">
      <StatusDot tone={tone} label={healthWord(tone)} />
      <AppLink
        to={pathOf(child.id)}
        className="relative z-10 min-w-0 truncate hover:text-accent hover:underline"
        data-tooltip={[child.name, child.type, status, child.status_reason]
          .filter(Boolean)
          .join("\n")}
      >
        <bdi>{child.name}</bdi>
      </AppLink>
      {status !== undefined && (
        <span className="ml-auto max-w-[45%] shrink-0 truncate text-muted">{status}</span>
      )}
    </li>
  );
}

function More({ onClick, isOpen }: { onClick: () => void; isOpen: boolean }) {
  return (
    <button
      type="button"
      onClick={onClick}
      aria-expanded={isOpen}
      className="relative z-10 self-start rounded-control border-0 bg-transparent p-0 text-xs text-accent hover:underline"
    >
      {isOpen ? "show less" : "show more ..."}
    </button>
  );
}

export interface ComponentCardProps {
  component: AnyComponent;
  /** The place of the keyboard among the cards: only one of them is in the order of Tab. */
  isReachable?: boolean;
  /** What can be done with it. */
  Menu?: (props: { component: AnyComponent; tabIndex: number }) => ReactNode;
}

interface Parts {
  headlines: readonly ShownProperty[];
  lines: readonly ShownProperty[];
}

function partsOf(component: AnyComponent): Parts {
  const all = shownProperties("properties" in component ? component.properties : undefined);
  return {
    headlines: all.filter(({ isHeadline }) => isHeadline),
    lines: all.filter(({ isHeadline }) => !isHeadline),
  };
}

/** A component: how it is, what it says of itself, and what hangs below it. */
export const ComponentCard = memo(function ComponentCard({
  component,
  isReachable = true,
  Menu,
}: ComponentCardProps) {
  const pathOf = useComponentPath();
  const [isWhole, setIsWhole] = useState(false);
  const tone = toneOf(component);
  const status = ownStatus(component);
  const { headlines, lines } = partsOf(component);
  const children = below(component);
  const most = isWhole ? Infinity : shownAtFirst;
  const { why, ask } = useWhy(component);
  const said = [status, component.status_reason, component.text, component.type].filter(
    (text): text is string => Boolean(text) && text !== component.name,
  );
  const isCut = lines.length > shownAtFirst || children.length > shownAtFirst;
  return (
    <article
      className={classNames(
        "relative flex min-w-0 flex-col gap-2 rounded-card border bg-raised p-3 hover:bg-hover has-[a[data-card]:focus-visible]:outline-2 has-[a[data-card]:focus-visible]:outline-focus",
        borders[tone],
      )}
      data-tone={tone}
    >
      <header className="flex min-w-0 items-center gap-2">
        <StatusDot tone={tone} />
        <Icon name={component.icon || component.type || component.name} />
        {/* The whole card leads there, but for what stands on it. */}
        <AppLink
          to={pathOf(component.id)}
          data-card={component.id}
          tabIndex={isReachable ? 0 : -1}
          aria-label={cardWords(component)}
          className="min-w-0 flex-1 truncate font-semibold outline-none after:absolute after:inset-0 after:rounded-card"
          data-tooltip={[component.name, component.type, why].filter(Boolean).join("\n")}
          onPointerEnter={ask}
          onFocus={ask}
        >
          <bdi>{component.name}</bdi>
        </AppLink>
        {Menu && <Menu component={component} tabIndex={isReachable ? 0 : -1} />}
      </header>
      {said.length > 0 && (
        <p className="m-0 flex min-w-0 items-baseline gap-x-2 text-xs">
          {status !== undefined && (
            <span className="max-w-[60%] truncate font-medium">{status}</span>
          )}
          <span className="min-w-0 truncate text-muted" data-tooltip={said.join("\n")}>
            {said.filter((text) => text !== status).join(" · ")}
          </span>
        </p>
      )}
      {headlines.length > 0 && <Headlines properties={headlines} />}
      {lines.length > 0 && <PropertyLines properties={lines.slice(0, most)} />}
      {children.length > 0 && (
        <ul className="m-0 flex list-none flex-col gap-0.5 p-0 text-xs">
          {children.slice(0, most).map((child) => (
            <ChildLine key={child.id} child={child} />
          ))}
        </ul>
      )}
      {isCut && <More isOpen={isWhole} onClick={() => setIsWhole(!isWhole)} />}
      <CountMarks component={component} />
    </article>
  );
});
