import { type ReactNode, useState } from "react";

/** Fields under one name, closed at first where nothing of them is set. */
export function FormSection({
  title,
  about,
  isOpen,
  children,
}: {
  title: string;
  /** What is in it, in a few words. */
  about?: string;
  isOpen: boolean;
  children: ReactNode;
}) {
  // A section does not close under the hands of whoever empties its last field.
  const [wasOpen] = useState(isOpen);
  return (
    <details open={wasOpen} className="rounded-card border">
      <summary className="cursor-pointer px-3 py-2 text-sm font-medium">
        {title}
        {about !== undefined && about !== "" && (
          <span className="ml-2 text-xs font-normal break-words text-muted">{about}</span>
        )}
      </summary>
      <div className="flex flex-col gap-3 border-t p-3">{children}</div>
    </details>
  );
}
