import type { Engine, Language } from "../language.ts";

/** Each is read when the first script of its language comes. */
const readers: Readonly<Record<Language, () => Promise<Engine>>> = {
  cel: async () => (await import("../cel/engine.ts")).cel,
  expr: async () => (await import("../cel/engine.ts")).cel,
  gotemplate: async () => (await import("../gotemplate/engine.ts")).gotemplate,
  javascript: async () => new (await import("../javascript/engine.ts")).JavaScript(),
  jsonpath: async () => (await import("../jsonpath/engine.ts")).jsonpath,
};

const read = new Map<Language, Promise<Engine>>();

export function engineOf(language: Language): Promise<Engine> {
  let engine = read.get(language);
  if (!engine) {
    engine = readers[language]();
    read.set(language, engine);
  }
  return engine;
}
