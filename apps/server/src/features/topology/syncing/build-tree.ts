import {
  codeInCanarySpec,
  type ComponentPropertySpec,
  componentSpec,
  type ComponentSpec,
  type ConfigQuery,
  type ForEachSpec,
  readTemplate,
  topologySpec,
  type WrittenSpec,
} from "@mainstay/contract";
import {
  compileJsonPath,
  type Context,
  type Evaluator,
  type Mapping,
  ScriptError,
  type Value,
} from "@mainstay/scripting";
import type { ItemFinder } from "#features/catalog/index.ts";
import type { LookupAnswer } from "#features/health/index.ts";
import { eachLimited } from "#platform/each-limited.ts";
import { AppError } from "#platform/errors.ts";
import { Turn } from "#platform/with-turns.ts";
import { evaluateScript, ScriptMistake } from "#platform/scripts/evaluate-script.ts";
import { selectorOf } from "../selector-of.ts";
import { type Component, everyComponent, type Tree } from "./component.ts";
import { type Group, narrowTo } from "./group-by.ts";
import { mergeFound, mergeProperty, readFoundProperties } from "./properties.ts";
import { moveToParents } from "./move-to-parents.ts";
import { propertyValues, selfOf } from "./self-of.ts";
import {
  componentOf,
  FoundMistake,
  freeName,
  listOf,
  propertyOf,
  readFound,
} from "./read-found.ts";

/** Components of one topology at most. */
export const mostComponents = 20_000;
/** Levels of components, those that were found among them. */
const deepest = 30;
/** Found components whose own lookups are asked at the same time. */
const atOnce = 8;
/** Those whose scripts are sent to the thread of scripts together: no more than wait there for a slow one. */
const scriptsAtOnce = 20;

/** A topology as it is run: its secrets are opened. */
export interface TopologyDocument {
  id: string;
  name: string;
  namespace: string;
  labels: Readonly<Record<string, string>>;
  spec: WrittenSpec;
}

export interface BuildParts {
  /** Runs the checks of a lookup; what they see beside their results is given. */
  lookUp(spec: WrittenSpec, given: Context): Promise<LookupAnswer>;
  /** Finds items of the catalog; absent where there is no server. */
  items?: ItemFinder;
  /** The values of a tag, of the items that a selector selects. */
  tagValues?(tag: string, selector: ConfigQuery | undefined): Promise<string[]>;
  evaluator: Evaluator;
  signal: AbortSignal;
}

/** There are too many components: then nothing of the run counts. */
export class TooManyComponents extends Error {}

/** Builds the components of a document. @throws TooManyComponents, and what the signal was aborted for */
export async function buildTree(document: TopologyDocument, parts: BuildParts): Promise<Tree> {
  const builder = new TreeBuilder(document, parts);
  const roots: Component[] = [];
  for (const group of await builder.groups()) roots.push(...(await builder.build(group)));
  return builder.finish(roots);
}

const isTemplate = (text: string) => text.includes("{{") || /\$[({]/.test(text);
/** What names the component that was found; other templates are those of the checks. */
const namesComponent = /\b(component|properties)\b/;

class TreeBuilder {
  readonly #document: TopologyDocument;
  readonly #parts: BuildParts;
  readonly #errors: string[] = [];
  readonly #notices: string[] = [];
  #count = 0;

  constructor(document: TopologyDocument, parts: BuildParts) {
    this.#document = document;
    this.#parts = parts;
  }

  finish(roots: Component[]): Tree {
    let count = 0;
    for (const _ of everyComponent(roots)) count += 1;
    return {
      roots,
      errors: this.#errors,
      notices: this.#notices,
      isComplete: this.#errors.length === 0,
      count,
    };
  }

  /** What there is a tree for: each value of the tag, or just one. */
  async groups(): Promise<(Group | undefined)[]> {
    const { groupBy } = this.#document.spec as {
      groupBy?: { tag?: string; selector?: ConfigQuery };
    };
    if (!groupBy?.tag) return [undefined];
    const { tag, selector } = groupBy;
    if (!this.#parts.tagValues) {
      this.#errors.push(`groupBy: there is no catalog here, whose items have the tag "${tag}".`);
      return [];
    }
    let values: string[];
    try {
      values = await this.#parts.tagValues(tag, selector);
    } catch (error) {
      this.#failed("groupBy", error);
      return [];
    }
    if (values.length === 0)
      this.#notices.push(`groupBy: no item of the catalog has the tag "${tag}".`);
    return values.map((value) => ({ tag, value }));
  }

  async build(group: Group | undefined): Promise<Component[]> {
    const { name, namespace, labels } = this.#document;
    const written = group ? narrowTo(this.#document.spec, group) : this.#document.spec;
    const read = topologySpec.safeParse(written);
    if (!read.success) {
      const [issue] = read.error.issues;
      this.#errors.push(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? ""}`);
      return [];
    }
    const spec = read.data;
    const called = spec.text ?? name;
    const root: Component = {
      ...componentOf({ name: group ? `${called} (${group.value})` : called }),
      text: spec.text,
      type: spec.type,
      icon: spec.icon,
      tooltip: spec.tooltip,
      owner: spec.owner,
      statusExpr: spec.statusExpr,
      healthExpr: spec.healthExpr,
      configs: [...(spec.configs ?? [])],
      labels: group ? { [group.tag]: group.value } : {},
    };
    this.#counts(1);
    for (const [index, component] of (spec.components ?? []).entries())
      root.children.push(
        ...(await this.#components(component, { at: `components.${index}`, depth: 1, given: {} })),
      );
    root.children = root.children.flatMap(withoutVirtual);
    await this.#addProperties([root], spec.properties ?? [], { at: "", given: {} });
    await this.#identify(root, spec.id, "id");
    const roots = spec.type === "virtual" ? root.children : [root];
    this.#notices.push(...(await moveToParents(roots)));
    const turn = new Turn();
    for (const component of everyComponent(roots)) {
      if (turn.isOver) await turn.end();
      component.namespace ??= namespace;
      component.labels = { ...labels, ...component.labels };
    }
    return roots;
  }

  #counts(more: number): void {
    this.#parts.signal.throwIfAborted();
    this.#count += more;
    if (this.#count > mostComponents)
      throw new TooManyComponents(
        `There are more than ${mostComponents} components: nothing of this run was saved. Say in the lookups which of them matter.`,
      );
  }

  #failed(at: string, error: unknown): void {
    this.#parts.signal.throwIfAborted();
    if (
      !(
        error instanceof FoundMistake ||
        error instanceof ScriptMistake ||
        error instanceof ScriptError ||
        // What is asked of the catalog: a search that is none, a selector that does not say one.
        error instanceof AppError
      )
    )
      throw error;
    this.#errors.push(`${at}: ${error.message}`);
  }

  /** What a component of the document comes to: itself with its children, or what its lookup finds. */
  async #components(
    spec: ComponentSpec,
    { at, depth, given }: { at: string; depth: number; given: Context },
  ): Promise<Component[]> {
    if (depth > deepest) {
      this.#errors.push(`${at}: Components stand within one another ${deepest} times at most.`);
      return [];
    }
    let components: Component[];
    if (spec.lookup) {
      const found = await this.#found(spec.lookup, { at: `${at}.lookup`, given });
      if (!found) return [];
      components = found;
      if (spec.forEach) {
        const { forEach } = spec;
        await eachLimited(components, atOnce, (component) =>
          this.#forEach(component, forEach, { at: `${at}.forEach`, depth }),
        );
      }
    } else {
      const own = componentOf({ ...spec, name: spec.name ?? "" });
      this.#counts(1);
      for (const [index, child] of (spec.components ?? []).entries())
        own.children.push(
          ...(await this.#nested(child, {
            at: `${at}.components.${index}`,
            depth: depth + 1,
            given,
          })),
        );
      components = [own];
    }
    await this.#addProperties(components, spec.properties ?? [], { at, given });
    const turn = new Turn();
    for (const component of components) {
      if (turn.isOver) await turn.end();
      component.icon ??= spec.icon;
      component.lifecycle ??= spec.lifecycle;
      component.owner ??= spec.owner;
    }
    await this.#together(components, scriptsAtOnce, (component) =>
      this.#identify(component, spec.id, `${at}.id`),
    );
    return components;
  }

  /**
   * Works on many components together: twice as many each time, and on one alone after a mistake. So a script that uses
   * up its time is known for it before many of it wait where the scripts of all checks do.
   */
  async #together(
    components: readonly Component[],
    most: number,
    work: (component: Component) => Promise<void>,
  ): Promise<void> {
    const turn = new Turn();
    let many = 1;
    let from = 0;
    while (from < components.length) {
      this.#parts.signal.throwIfAborted();
      if (turn.isOver) await turn.end();
      const mistakes = this.#errors.length;
      const some = components.slice(from, from + many);
      await eachLimited(some, many, work);
      from += some.length;
      many = this.#errors.length > mistakes ? 1 : Math.min(many * 2, most);
    }
  }

  /** Components within others are part of no schema: each is read by itself. */
  async #nested(
    written: unknown,
    around: { at: string; depth: number; given: Context },
  ): Promise<Component[]> {
    const read = componentSpec.safeParse(written);
    if (read.success) return this.#components(read.data, around);
    const [issue] = read.error.issues;
    this.#errors.push(
      `${[around.at, ...(issue?.path ?? [])].join(".")}: ${issue?.message ?? "cannot be read"}`,
    );
    return [];
  }

  /** What a lookup found, as components; nothing when it failed. */
  async #found(
    lookup: WrittenSpec,
    { at, given }: { at: string; given: Context },
  ): Promise<Component[] | undefined> {
    const { values, errors } = await this.#parts.lookUp(lookup, given);
    this.#errors.push(...errors.map((error) => `${at}: ${error}`));
    if (errors.length > 0) return undefined;
    try {
      const found = (await listOf(values)).filter((one) => one !== "");
      this.#counts(found.length);
      const turn = new Turn();
      const components: Component[] = [];
      for (const [index, one] of found.entries())
        components.push(await readFound(one, { at: `result ${index + 1}`, turn }));
      for (const { children } of everyComponent(components)) this.#counts(children.length);
      return components;
    } catch (error) {
      this.#failed(at, error);
      return undefined;
    }
  }

  /** What each component that was found gets. */
  async #forEach(
    component: Component,
    forEach: ForEachSpec,
    { at, depth }: { at: string; depth: number },
  ): Promise<void> {
    const given = (): Context => ({
      component: selfOf(component),
      self: selfOf(component),
      properties: propertyValues(component),
    });
    try {
      const properties = (await this.#filled(
        forEach.properties ?? [],
        given(),
      )) as ComponentPropertySpec[];
      await this.#addProperties([component], properties, { at, given: given() });
      for (const [index, child] of (forEach.components ?? []).entries())
        component.children.push(
          ...(await this.#nested(await this.#filled(child, given()), {
            at: `${at}.components.${index}`,
            depth: depth + 1,
            given: given(),
          })),
        );
      const {
        configs = [],
        selectors = [],
        relationships = [],
      } = (await this.#filled(
        {
          configs: forEach.configs ?? [],
          selectors: forEach.selectors ?? [],
          relationships: forEach.relationships ?? [],
        },
        given(),
      )) as Partial<Pick<Component, "configs" | "selectors" | "relationships">>;
      component.configs.push(...configs);
      component.selectors.push(...selectors);
      component.relationships.push(...relationships);
      for (const [index, check] of (forEach.checks ?? []).entries())
        component.checks.push(await this.#filledCheck(check, given(), `${at}.checks.${index}`));
    } catch (error) {
      this.#failed(`${at}, of ${component.name}`, error);
    }
  }

  /** Checks of one component. What was found must not make them reach further than the document says. */
  async #filledCheck(
    check: Component["checks"][number],
    given: Context,
    at: string,
  ): Promise<Component["checks"][number]> {
    const filled = (await this.#filled(check, given)) as Component["checks"][number];
    if (check.inline && filled.inline) {
      const allowed = codeInCanarySpec(check.inline).map(({ path, kind }) =>
        [kind, ...path].join(),
      );
      const [further] = codeInCanarySpec(filled.inline).filter(
        ({ path, kind }) => !allowed.includes([kind, ...path].join()),
      );
      if (further)
        throw new FoundMistake(
          `${at}: with what was found, "${further.name}" would reach into the server's own machine.`,
        );
    }
    return filled;
  }

  /** The templates that name the component, filled in. */
  async #filled(value: unknown, given: Context): Promise<unknown> {
    if (typeof value === "string") {
      if (!isTemplate(value) || !namesComponent.test(value)) return value;
      const script = value.replaceAll(/\$\{(\.[^}]*)\}/g, "$($1)");
      const { text } = await this.#parts.evaluator.evaluate({
        language: "gotemplate",
        script,
        isSpec: true,
        context: given,
      });
      return text;
    }
    if (Array.isArray(value)) return Promise.all(value.map((one) => this.#filled(one, given)));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map(
      async ([key, inner]) => [key, await this.#filled(inner, given)] as const,
    );
    return Object.fromEntries(await Promise.all(entries));
  }

  async #addProperties(
    components: readonly Component[],
    properties: readonly ComponentPropertySpec[],
    { at, given }: { at: string; given: Context },
  ): Promise<void> {
    for (const [index, property] of properties.entries()) {
      const place = [at, "properties", property.name ?? index]
        .filter((one) => one !== "")
        .join(".");
      try {
        await this.#addProperty(components, property, { at: place, given });
      } catch (error) {
        this.#failed(place, error);
      }
    }
  }

  async #addProperty(
    components: readonly Component[],
    spec: ComponentPropertySpec,
    { at, given }: { at: string; given: Context },
  ): Promise<void> {
    const plain = propertyOf(spec);
    if (spec.lookup) {
      const { values, errors } = await this.#parts.lookUp(spec.lookup, given);
      this.#errors.push(...errors.map((error) => `${at}: ${error}`));
      if (errors.length > 0) return;
      const unknown = mergeFound(components, plain, await readFoundProperties(values));
      // A component by itself takes what is its own out of what was found of all.
      if (unknown.length > 0 && components.length > 1)
        this.#notices.push(
          `${at}: there is no component called ${unknown.slice(0, 5).join(", ")}${unknown.length > 5 ? ` and ${unknown.length - 5} more` : ""}.`,
        );
      return;
    }
    const most = spec.configLookup ? atOnce : scriptsAtOnce;
    await this.#together(components, most, async (component) => {
      const text = spec.configLookup
        ? await this.#fromItem(component, spec.configLookup, given)
        : await this.#summary(component, spec, given);
      const name = spec.name ? plain.name : freeName(plain.name, component.properties);
      mergeProperty(component, { ...plain, name, ...(text !== undefined && { text }) });
    });
  }

  async #summary(
    component: Component,
    { summary, name }: ComponentPropertySpec,
    given: Context,
  ): Promise<string | undefined> {
    const script = readTemplate(summary);
    if (!script) return undefined;
    const seen = { ...given, self: selfOf(component), properties: propertyValues(component) };
    const { value, text } = await evaluateScript(
      this.#parts.evaluator,
      { ...script, name: `${name ?? ""}.summary` },
      seen,
    );
    return value === null ? undefined : text;
  }

  /** The text that an item of the catalog gives; nothing where there is no such item. */
  async #fromItem(
    component: Component,
    { id, config, field, display }: NonNullable<ComponentPropertySpec["configLookup"]>,
    given: Context,
  ): Promise<string | undefined> {
    const { items, evaluator } = this.#parts;
    if (!items) throw new FoundMistake("there is no catalog here to look into.");
    const named = id && component.properties.find(({ name }) => name === id);
    const seen = { ...given, component: selfOf(component), properties: propertyValues(component) };
    const query = (await this.#filled(config ?? {}, seen)) as ConfigQuery;
    const selector = selectorOf({
      ...query,
      ...(named && { name: String(named.text ?? named.value ?? "") }),
    });
    const [item] = await items([selector], { most: 1, signal: this.#parts.signal });
    if (!item) return undefined;
    const content = (item.config ?? {}) as Value;
    const script = readTemplate(display);
    if (script) {
      const { value, text } = await evaluateScript(
        evaluator,
        { ...script, name: "configLookup.display" },
        { ...(item as unknown as Mapping), config: content, config_type: item.type },
      );
      return value === null ? undefined : text;
    }
    const [found] = compileJsonPath(field ?? "$").values(content);
    if (found === undefined || found === null) return undefined;
    return typeof found === "object" ? JSON.stringify(found) : String(found);
  }

  /** The id that a script gives, else its name. */
  async #identify(component: Component, id: ComponentSpec["id"], at: string): Promise<void> {
    const script = component.externalId === "" ? readTemplate(id) : undefined;
    if (script)
      try {
        const { value, text } = await evaluateScript(
          this.#parts.evaluator,
          { ...script, name: "id" },
          { self: selfOf(component), properties: propertyValues(component) },
        );
        // Of a property that is not there JavaScript says `undefined`, which would be the id of many.
        component.externalId = value === null ? "" : text.trim();
      } catch (error) {
        this.#failed(at, error);
      }
    if (component.externalId === "") component.externalId = component.name;
  }
}

/** One that is virtual gives way to its children. */
const withoutVirtual = (component: Component): Component[] =>
  component.type === "virtual" ? component.children.flatMap(withoutVirtual) : [component];
