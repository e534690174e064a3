import { parseLabelSelector, SelectorError } from "@mainstay/contract";
import { invalid } from "../errors.ts";

type Labels = Readonly<Record<string, string>>;

/** A label selector that has been written by hand: an empty one would select everything, so it is none. */
export function parseMatcher(selector: string): (labels: Labels) => boolean {
  const requirements = read(selector);
  if (requirements.length === 0)
    throw invalid("The label selector is empty: it would select everything.");
  return (labels) =>
    requirements.every((wanted) => {
      const value = Object.hasOwn(labels, wanted.key) ? labels[wanted.key] : undefined;
      switch (wanted.op) {
        case "exists":
          return value !== undefined;
        case "missing":
          return value === undefined;
        case "in":
          return value !== undefined && wanted.values.includes(value);
        case "notIn":
          return value === undefined || !wanted.values.includes(value);
      }
    });
}

function read(selector: string) {
  try {
    return parseLabelSelector(selector);
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    throw invalid(
      `The label selector "${selector.slice(0, 100)}" cannot be read: ${error.message}.`,
    );
  }
}
