import type { ReactNode } from "react";
import { useId } from "react";

/** One component of the gallery, with its states side by side. */
export function Show({ title, children }: { title: string; children: ReactNode }) {
  const id = useId();
  return (
    <section
      aria-labelledby={id}
      className="mb-6 rounded-card border bg-raised"
      data-show={title.toLowerCase().replaceAll(/\W+/g, "-")}
    >
      <h2 id={id} className="m-0 border-b px-4 py-2 text-md font-semibold">
        {title}
      </h2>
      <div className="flex flex-col gap-4 p-4">{children}</div>
    </section>
  );
}

/** A state of a component with its name. */
export function State({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <span className="text-2xs text-muted">{name}</span>
      <div className="flex min-w-0 flex-wrap items-center gap-2">{children}</div>
    </div>
  );
}
