export interface SkeletonRowsProps {
  /** 8 for a list that loads, 6 inside a page skeleton. */
  rows?: number;
  label?: string;
}

const widths = ["w-3/5", "w-2/5", "w-1/2", "w-2/3", "w-1/3", "w-3/5", "w-1/2", "w-2/5"];

/** Rows of a list that is still on its way, as high as the real ones. */
export function SkeletonRows({ rows = 8, label = "Loading" }: SkeletonRowsProps) {
  return (
    <output className="block w-full">
      <span className="sr-only">{label}</span>
      {Array.from({ length: rows }, (_, row) => (
        <div
          key={row}
          className="flex h-[35px] items-center gap-4 border-b px-4 in-data-[density=compact]:h-7"
        >
          <span className="skeleton size-3" />
          <span className="flex-1">
            <span className={`skeleton block h-3 ${widths[row % widths.length] ?? ""}`} />
          </span>
          <span className="skeleton h-3 w-24 max-phone:hidden" />
          <span className="skeleton h-3 w-14" />
        </div>
      ))}
    </output>
  );
}

/** A page that is still on its way: a bar of controls, then six rows. */
export function PageSkeleton() {
  return (
    <div className="flex h-full flex-col">
      <div className="flex h-12 shrink-0 items-center gap-2 border-b px-4">
        <span className="skeleton h-7 w-56" />
        <span className="skeleton h-7 w-28" />
        <span className="skeleton h-7 w-28 max-phone:hidden" />
      </div>
      <SkeletonRows rows={6} />
    </div>
  );
}
