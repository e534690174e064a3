/** Where the details will stand. */
export function DetailsSkeleton() {
  return (
    <output className="block px-4 py-3">
      <span className="sr-only">Loading</span>
      {Array.from({ length: 9 }, (_, row) => (
        <span key={row} className="flex h-6 items-center gap-3">
          <span className="skeleton h-3 w-20" />
          <span className="skeleton h-3 flex-1" />
        </span>
      ))}
    </output>
  );
}
