import type { EnvVar } from "@mainstay/contract";
import { ValueMissing } from "./value-sources.ts";

/** What a document names instead of a value. */
export type ValueReference =
  | { kind: "secret" | "configmap"; name: string; key: string }
  /** `key` is a JSONPath over the values of the release. */
  | { kind: "helm"; name: string; key: string }
  | { kind: "serviceaccount"; name: string };

const forms = {
  secret: "secret://name/key",
  configmap: "configmap://name/key",
  helm: "helm://release/path",
  serviceaccount: "serviceaccount://name",
} as const;

const isForm = (text: string): text is keyof typeof forms => Object.hasOwn(forms, text);

/** Names of objects: what Kubernetes takes, so no path can be made of them. */
const objectName = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const namespaceName = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const keyName = /^[-._A-Za-z0-9]{1,253}$/;
const longestPath = 1000;

/** As long as Kubernetes lets an object be, in bytes. */
export const longestValue = 1_048_576;

/** In the place of a value, a text that names one; undefined when it is itself. @throws ValueMissing */
export function parseReference(text: string): ValueReference | undefined {
  const [, scheme = "", rest = ""] = /^([a-z]+):\/\/(.*)$/s.exec(text) ?? [];
  if (!isForm(scheme)) return undefined;
  const malformed = () =>
    new ValueMissing(`a value names a ${scheme} in another way than ${forms[scheme]}`);
  if (scheme === "serviceaccount") {
    if (!rest) throw malformed();
    return checked({ kind: scheme, name: rest });
  }
  const slash = rest.indexOf("/");
  const [name, key] = [rest.slice(0, slash), rest.slice(slash + 1)];
  if (slash < 1 || key === "") throw malformed();
  return checked({ kind: scheme, name, key });
}

/** Of `valueFrom`; undefined when it names nothing. @throws ValueMissing */
export function referenceOf(from: EnvVar["valueFrom"]): ValueReference | undefined {
  if (!from) return undefined;
  const { secretKeyRef, configMapKeyRef, helmRef, serviceAccount } = from;
  const keyed = (kind: "secret" | "configmap" | "helm", ref: { name?: string; key: string }) => {
    if (!ref.name)
      throw new ValueMissing(`a value names a key of a ${nameOf[kind]}, but not which`);
    return checked({ kind, name: ref.name, key: ref.key });
  };
  if (secretKeyRef) return keyed("secret", secretKeyRef);
  if (configMapKeyRef) return keyed("configmap", configMapKeyRef);
  if (helmRef) return keyed("helm", helmRef);
  if (serviceAccount) return checked({ kind: "serviceaccount", name: serviceAccount });
  return undefined;
}

function checked(reference: ValueReference): ValueReference {
  const shown = JSON.stringify(reference.name.slice(0, 100));
  if (!objectName.test(reference.name) || reference.name.includes(".."))
    throw new ValueMissing(`${shown} is no name of a ${nameOf[reference.kind]}`);
  if (reference.kind === "serviceaccount") return reference;
  const { kind, key } = reference;
  const isKey =
    kind === "helm" ? key.length <= longestPath : keyName.test(key) && !/^\.{1,2}/.test(key);
  if (!isKey)
    throw new ValueMissing(`${JSON.stringify(key.slice(0, 100))} is no key of a ${nameOf[kind]}`);
  return reference;
}

/** Documents say nothing, or the name of a namespace. @throws ValueMissing */
export function checkedNamespace(namespace: string): string {
  const name = namespace || "default";
  if (namespaceName.test(name)) return name;
  throw new ValueMissing(
    `${JSON.stringify(name.slice(0, 100))} is no namespace that values can be in: small letters, digits and -`,
  );
}

const nameOf = {
  secret: "secret",
  configmap: "config map",
  helm: "Helm release",
  serviceaccount: "service account",
} as const;

/** What is named, for people. */
export function describeReference(reference: ValueReference, namespace: string): string {
  const what = `${nameOf[reference.kind]} "${reference.name}" of the namespace "${namespace}"`;
  if (reference.kind === "serviceaccount") return `a token of the ${what}`;
  return `"${reference.key.slice(0, 100)}" of the ${what}`;
}
