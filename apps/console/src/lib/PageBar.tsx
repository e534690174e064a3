import { RotateCw } from "lucide-react";
import { createContext, Fragment, useContext, type ReactNode } from "react";
import { createPortal } from "react-dom";
import { exactTime } from "@mainstay/ui/Age.tsx";
import { IconButton } from "@mainstay/ui/Button.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import { useClock } from "@mainstay/ui/clock.ts";
import { formatAge } from "@mainstay/ui/duration.ts";
import { AppLink } from "./AppLink.tsx";

/** The two places of the top bar that belong to the page: breadcrumb and actions at the left, refresh at the right. */
export const PageBarSlots = createContext<{ start: HTMLElement | null; end: HTMLElement | null }>({
  start: null,
  end: null,
});

export interface PageBarProps {
  /** From the outermost; the last one is the page itself. */
  crumbs: readonly { label: string; to?: string }[];
  actions?: ReactNode;
  refresh?: {
    onRefresh: () => void;
    isRefreshing: boolean;
    /** When what is shown was last confirmed, epoch ms; 0 for never. */
    updatedAt: number;
  };
}

function Refresh({ onRefresh, isRefreshing, updatedAt }: NonNullable<PageBarProps["refresh"]>) {
  const age = useClock((now) => (updatedAt === 0 ? "" : formatAge(updatedAt, now)));
  return (
    <span className="flex items-center gap-1 text-xs text-muted tabular-nums">
      {/* As wide as it will be, before there is anything to say: nothing beside it moves then. */}
      <span
        className="w-28 text-right max-tablet:hidden"
        data-tooltip={age === "" ? undefined : `Last updated\n${exactTime(updatedAt)}`}
      >
        {age === "" ? "" : age === "now" ? "updated now" : `updated ${age}`}
      </span>
      <IconButton
        label="Refresh"
        aria-busy={isRefreshing}
        icon={<RotateCw size={16} strokeWidth={1.75} className={isRefreshing ? "turning" : ""} />}
        onClick={onRefresh}
      />
    </span>
  );
}

/** On a phone there is room for the page's own name, and for what one can go back to. */
const phoneLess = "max-phone:hidden";

/** What a page puts into the top bar. */
export function PageBar({ crumbs, actions, refresh }: PageBarProps) {
  const { start, end } = useContext(PageBarSlots);
  const isLeftOut = (index: number) =>
    index < crumbs.length - 2 || (index < crumbs.length - 1 && crumbs[index]?.to === undefined);
  return (
    <>
      {start &&
        createPortal(
          <>
            <nav aria-label="Breadcrumb" className="min-w-0">
              <ol className="m-0 flex min-w-0 list-none items-center gap-1.5 p-0 text-md">
                {crumbs.map((crumb, index) => (
                  <Fragment key={crumb.label}>
                    {index > 0 && (
                      <li
                        aria-hidden="true"
                        className={classNames("text-muted", isLeftOut(index - 1) && phoneLess)}
                      >
                        /
                      </li>
                    )}
                    <li
                      className={classNames(
                        "min-w-0 truncate",
                        // The page's own name gives way last.
                        index < crumbs.length - 1 && "shrink-9 max-phone:min-w-9",
                        isLeftOut(index) && phoneLess,
                      )}
                    >
                      {index === crumbs.length - 1 ? (
                        <h1 aria-current="page" className="m-0 truncate text-md font-semibold">
                          {crumb.label}
                        </h1>
                      ) : crumb.to === undefined ? (
                        <span className="text-muted">{crumb.label}</span>
                      ) : (
                        <AppLink to={crumb.to} className="text-muted hover:text-text">
                          {crumb.label}
                        </AppLink>
                      )}
                    </li>
                  </Fragment>
                ))}
              </ol>
            </nav>
            {actions}
          </>,
          start,
        )}
      {end && refresh && createPortal(<Refresh {...refresh} />, end)}
    </>
  );
}
