import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { Fragment } from "react";

export interface Crumb {
  label: string;
  /** Where it leads; the last one is where we are. */
  href?: string;
  icon?: ReactNode;
}

export interface BreadcrumbProps {
  crumbs: readonly Crumb[];
  /** How a link is drawn, for applications that move without loading a page. */
  renderLink?: (crumb: Crumb & { href: string }, content: ReactNode) => ReactNode;
}

const plainLink: NonNullable<BreadcrumbProps["renderLink"]> = ({ href }, content) => (
  <a href={href} className="flex min-w-0 text-muted hover:text-text">
    {content}
  </a>
);

/** Where we are, from the outermost. */
export function Breadcrumb({ crumbs, renderLink = plainLink }: BreadcrumbProps) {
  return (
    <nav aria-label="Breadcrumb" className="min-w-0">
      <ol className="m-0 flex min-w-0 list-none items-center gap-1 p-0 text-md">
        {crumbs.map((crumb, index) => {
          const { href } = crumb;
          const isLast = index === crumbs.length - 1;
          const content = (
            <span className="inline-flex min-w-0 items-center gap-1.5" data-tooltip={crumb.label}>
              {crumb.icon}
              <span className="truncate">{crumb.label}</span>
            </span>
          );
          return (
            <Fragment key={`${crumb.label}-${href ?? ""}`}>
              {index > 0 && (
                <li aria-hidden="true" className="flex shrink-0 text-muted">
                  <ChevronRight size={14} strokeWidth={1.75} />
                </li>
              )}
              <li
                aria-current={isLast ? "page" : undefined}
                className={
                  isLast ? "flex min-w-0 font-semibold" : "flex min-w-8 max-phone:max-w-24"
                }
              >
                {href === undefined || isLast ? content : renderLink({ ...crumb, href }, content)}
              </li>
            </Fragment>
          );
        })}
      </ol>
    </nav>
  );
}
