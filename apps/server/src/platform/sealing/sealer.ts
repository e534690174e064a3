import { secretPlaceholder, type SecretPlace } from "@mainstay/contract";
import {
  type Encryption,
  type EncryptionConfig,
  isEncryptedWith,
  openEncryption,
} from "../encryption.ts";
import type { Sealed, SealedValue } from "./sealed.ts";

type Document = Record<string, unknown>;

/** A kind of document and where its secrets are. */
export interface SealedKind {
  name: string;
  map(document: Document, replace: (place: SecretPlace) => unknown): Document;
}

/** Why a secret could not be opened, by its path. */
export interface OpenFailure {
  place: SecretPlace;
  reason: "missing" | "moved" | "unreadable";
  message: string;
}

export interface Opened {
  document: Document;
  failures: OpenFailure[];
}

/** What the place of a secret was called, and where it led. */
export interface Former {
  path: string;
  to: string;
}

export interface Sealer {
  /** Takes the secrets out of a document; `at` is the way to the document in what was sent. */
  seal(
    document: Document,
    at?: readonly (string | number)[],
  ): { document: Document; sealed: Sealed };
  /** The document with placeholders alone; undefined when it had no secrets to hide. */
  mask(document: Document): Document | undefined;
  /**
   * What a stored document holds of secrets whose place has come to be called otherwise, or their destination, since they
   * were sealed: sealed for where they are now. Paths that nothing stands for any more are in `former`.
   */
  rebind(
    document: Document,
    sealed: Sealed,
    formerly: (place: SecretPlace) => readonly Former[],
  ): { sealed: Sealed; former: string[] };
  /** Puts them back. What cannot be opened keeps its placeholder. */
  open(document: Document, sealed: Sealed): Opened;
}

export function createSealer(config: EncryptionConfig, kind: SealedKind): Sealer {
  // Opened with the first secret: a program that meets none needs no key.
  const encryption = (): Encryption => openEncryption(config);
  const binding = ({ path }: SecretPlace, to: string) => bindingOf(kind.name, path, to);

  function openPlace(place: SecretPlace, stored: Sealed[string] | undefined): unknown {
    const refuse = (reason: OpenFailure["reason"], message: string) => {
      throw new CannotOpen({ place, reason, message });
    };
    if (stored === undefined || "keep" in stored) return refuse("missing", missingValue);
    if (stored.to !== place.destination) return refuse("moved", movedValue);
    if ("lost" in stored) return refuse("missing", lostValue(stored.lost));
    try {
      return JSON.parse(encryption().decrypt(stored.value, binding(place, stored.to))) as unknown;
    } catch (error) {
      return refuse("unreadable", error instanceof Error ? error.message : String(error));
    }
  }

  function openOrNothing(entry: SealedValue, path: string): string | undefined {
    try {
      return encryption().decrypt(entry.value, bindingOf(kind.name, path, entry.to));
    } catch {
      return undefined;
    }
  }

  return {
    seal(document, at = []) {
      const sealed: Sealed = {};
      const shown = kind.map(document, (place) => {
        const to = place.destination;
        if (place.value === secretPlaceholder) {
          sealed[place.path] = { to, keep: true, at: [...at, ...place.keys] };
        } else {
          const text = JSON.stringify(place.value);
          const bound = binding(place, to);
          const value: SealedValue = {
            to,
            mac: encryption().mac(text, bound),
            value: encryption().encrypt(text, bound),
          };
          sealed[place.path] = value;
        }
        return secretPlaceholder;
      });
      return { document: shown, sealed };
    },
    rebind(document, sealed, formerly) {
      const moved: Sealed = {};
      const former: string[] = [];
      kind.map(document, (place) => {
        const now = Object.hasOwn(sealed, place.path) ? sealed[place.path] : undefined;
        if (place.value !== secretPlaceholder || now?.to === place.destination) return place.value;
        const to = place.destination;
        for (const { path, to: from } of formerly(place)) {
          const entry = Object.hasOwn(sealed, path) ? sealed[path] : undefined;
          if (entry?.to !== from || "keep" in entry) continue;
          if ("lost" in entry) moved[place.path] = { to, lost: entry.lost };
          else {
            const text = openOrNothing(entry, path);
            // Its run says why it cannot be opened.
            if (text === undefined) continue;
            const bound = binding(place, to);
            moved[place.path] = {
              to,
              mac: encryption().mac(text, bound),
              value: encryption().encrypt(text, bound),
            };
          }
          if (path !== place.path) former.push(path);
          break;
        }
        return place.value;
      });
      return { sealed: moved, former };
    },
    mask(document) {
      let hides = false;
      const shown = kind.map(document, (place) => {
        hides ||= place.value !== secretPlaceholder;
        return secretPlaceholder;
      });
      return hides ? shown : undefined;
    },
    open(document, sealed) {
      const failures: OpenFailure[] = [];
      const opened = kind.map(document, (place) => {
        if (place.value !== secretPlaceholder) return place.value;
        try {
          return openPlace(
            place,
            Object.hasOwn(sealed, place.path) ? sealed[place.path] : undefined,
          );
        } catch (error) {
          if (!(error instanceof CannotOpen)) throw error;
          failures.push(error.failure);
          return secretPlaceholder;
        }
      });
      return { document: opened, failures };
    },
  };
}

/** What a secret is bound to. */
const bindingOf = (kindName: string, path: string, to: string) =>
  JSON.stringify(["sealed", kindName, path, to]);

/** All that is sealed in a row of a kind, encrypted anew with the key that is written with. */
export const reseal = (kindName: string, sealed: Sealed, encryption: Encryption): Sealed =>
  Object.fromEntries(
    Object.entries(sealed).map(([path, entry]) => {
      if (!("value" in entry)) return [path, entry];
      const bound = bindingOf(kindName, path, entry.to);
      const text = encryption.decrypt(entry.value, bound);
      const value = encryption.encrypt(text, bound);
      return [path, { to: entry.to, mac: encryption.mac(text, bound), value }];
    }),
  );

/** What a key has encrypted, marked as lost with it; and the paths of that. */
export function forgetSealed(sealed: Sealed, keyId: string): { value: Sealed; lost: string[] } {
  const lost = Object.entries(sealed)
    .filter(([, entry]) => "value" in entry && isEncryptedWith(entry.value, keyId))
    .map(([path]) => path);
  const marks = lost.map((path) => [path, { to: sealed[path]!.to, lost: keyId }] as const);
  return { value: { ...sealed, ...Object.fromEntries(marks) }, lost };
}

class CannotOpen extends Error {
  readonly failure: OpenFailure;

  constructor(failure: OpenFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

export const missingValue = `There is no stored value for "${secretPlaceholder}" here: write the value itself.`;
export const movedValue = `The address changed: write the value itself again instead of "${secretPlaceholder}".`;
export const lostValue = (keyId: string): string =>
  `It was encrypted with key ${keyId}, which was given up as lost: write the value again.`;
