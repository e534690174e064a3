/** Where a text is still on its way. */
export function LinesSkeleton({ label }: { label: string }) {
  return (
    <output className="block min-h-24 flex-1 rounded-card border bg-sunken p-3">
      <span className="sr-only">Loading {label}</span>
      <span className="skeleton mb-2 block h-3 w-1/3" />
      <span className="skeleton mb-2 block h-3 w-1/2" />
      <span className="skeleton block h-3 w-2/5" />
    </output>
  );
}
