import { z } from "zod";
import { offering } from "../canary/fields.ts";

/** A JSONPath; whether it is one is judged where it can be evaluated. */
export const jsonPath = z.string().max(4096);

/** One of a closed list of words: any case is read, the word of the list is what is made of it. */
export const wordOf = <Word extends string>(words: readonly Word[], what: string) =>
  z
    .string()
    .transform((text, context): Word => {
      const word = words.find((one) => one.toLowerCase() === text.trim().toLowerCase());
      if (word !== undefined) return word;
      context.addIssue({
        code: "custom",
        message: `"${text.slice(0, 40)}" is no ${what}. Known are ${words.join(", ")}.`,
      });
      return z.NEVER;
    })
    .meta(offering(words));

/** One text where a list of them is meant. */
export const textList = (longest: number, most: number) =>
  z
    .union([z.array(z.string().max(longest)).max(most), z.string().max(longest)])
    .transform((found) => (typeof found === "string" ? [found] : found));
