import type { ComponentProperty, PropertyLink } from "@mainstay/contract/topology-answers.ts";
import { exactQuantity, quantity, quantityOf } from "#lib/quantity.ts";

/** How a property is shown. */
export interface ShownProperty {
  key: string;
  label: string;
  tooltip?: string;
  /** What it says; empty where `age` or links say it. */
  text: string;
  /** The number behind it, where it is rounded. */
  exact?: string;
  isHeadline: boolean;
  /** Of 100: how much of what there is is used. */
  usage?: number;
  /** A moment whose age is shown; epoch milliseconds. */
  age?: number;
  url?: string;
  links: readonly { url: string; text: string }[];
  tone?: "unhealthy" | "warning" | "healthy";
  isBadge: boolean;
}

/** Document 2, section 9. */
export const usageAlarm = 70;
/** So many properties are shown before somebody asks for more. */
export const shownAtFirst = 5;

/** Addresses that documents give lead out of the console only where a browser fetches them as a page. */
const safeUrl = (text: string | undefined): string | undefined => {
  const url = text === undefined ? null : URL.parse(text);
  return url && (url.protocol === "http:" || url.protocol === "https:") ? url.href : undefined;
};

const isPercent = (unit: string | undefined) => unit?.toLowerCase() === "percent" || unit === "%";

function usageOf({ value, max, min, unit }: ComponentProperty): number | undefined {
  if (typeof value !== "number") return undefined;
  if (typeof max === "number" && max > (min ?? 0))
    return ((value - (min ?? 0)) / (max - (min ?? 0))) * 100;
  return isPercent(unit) ? value : undefined;
}

const tones: Readonly<Record<string, NonNullable<ShownProperty["tone"]>>> = {
  red: "unhealthy",
  orange: "warning",
  yellow: "warning",
  green: "healthy",
};

function momentOf({ type, unit, text, value, lastTransition }: ComponentProperty) {
  if (unit === "epoch" && typeof value === "number") return value * 1_000;
  if (type !== "age") return undefined;
  const moment = Date.parse(text ?? lastTransition ?? "");
  return Number.isNaN(moment) ? undefined : moment;
}

const linkOf = (link: PropertyLink) => {
  const url = safeUrl(link.url);
  return url === undefined ? [] : [{ url, text: link.label || link.text || link.type || url }];
};

/** What is to be shown of the properties of a component, in their order; those with nothing to say are left out. */
export function shownProperties(
  properties: readonly ComponentProperty[] | null | undefined,
): ShownProperty[] {
  return (properties ?? [])
    .filter(({ type, hidden }) => type !== "hidden" && hidden !== true)
    .map((property, index) => {
      const { name, label, tooltip, text, value, unit, type, max, headline, color } = property;
      const age = momentOf(property);
      const usage = usageOf(property);
      const said =
        age !== undefined
          ? ""
          : typeof value === "number" && !text
            ? typeof max === "number" && usage !== undefined && !isPercent(unit)
              ? quantityOf(value, max, unit, type)
              : quantity(value, unit, type)
            : (text ?? "");
      const exact =
        typeof value === "number" && !text && age === undefined
          ? exactQuantity(value, unit, type)
          : undefined;
      const url = safeUrl(property.url) ?? safeUrl(type === "url" ? text : undefined);
      const tone = tones[color?.toLowerCase() ?? ""];
      return {
        key: `${index} ${name ?? label ?? ""}`,
        label: label || name || "",
        text: said,
        isHeadline: headline === true,
        links: (property.links ?? []).flatMap(linkOf),
        isBadge: type === "badge",
        order: property.order ?? 0,
        ...(tooltip && { tooltip }),
        ...(exact !== undefined && { exact }),
        ...(usage !== undefined && { usage: Math.max(0, usage) }),
        ...(age !== undefined && { age }),
        ...(url !== undefined && { url }),
        ...(tone && { tone }),
      };
    })
    .filter(({ text, age, url, links }) => text !== "" || age !== undefined || url || links.length)
    .toSorted((one, other) => one.order - other.order)
    .map(({ order: _order, ...shown }): ShownProperty => shown);
}
