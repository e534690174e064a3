import { ValueMissing, type ValueSources } from "./value-sources.ts";

const elsewhere = /^(secret|configmap|helm|serviceaccount):\/\//;

/** Where there is nothing but what is written down. */
export const literalValues: ValueSources = {
  async resolve({ value, valueFrom }) {
    if (valueFrom) throw new ValueMissing("Values that stand elsewhere are not read here.");
    return value ?? "";
  },
  async resolveText(text) {
    if (elsewhere.test(text)) throw new ValueMissing(`${text.slice(0, 200)} is not read here.`);
    return text;
  },
};
