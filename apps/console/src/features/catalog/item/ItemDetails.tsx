import "./places.ts";
import { ExternalLink } from "lucide-react";
import type { ReactNode } from "react";
import { useQuery } from "@tanstack/react-query";
import { elsewhere } from "#lib/agents.ts";
import { Age } from "@mainstay/ui/Age.tsx";
import { CopyButton } from "@mainstay/ui/CopyButton.tsx";
import { AppLink } from "#lib/AppLink.tsx";
import { PlaceActions } from "#lib/places/PlaceActions.tsx";
import { paths } from "#lib/paths.ts";
import { exactQuantity, quantity, quantityOf } from "#lib/quantity.ts";
import { ResourceLink } from "#lib/resources/ResourceLink.tsx";
import { CostText } from "../figures/CostText.tsx";
import { HealthBadge } from "../figures/HealthBadge.tsx";
import { ItemLink } from "../shared/ItemLink.tsx";
import { DeletedMark, StaleMark } from "../figures/marks.tsx";
import { ItemNotes } from "./ItemNotes.tsx";
import { ownershipOf, type Pointer, safeUrl } from "./ownership.ts";
import { type Item, itemQueries, type ItemProperty } from "./queries.ts";

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="grid grid-cols-[7rem_minmax(0,1fr)] items-baseline gap-2 py-0.5">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="m-0 min-w-0 text-sm break-words">{children}</dd>
    </div>
  );
}

function Section({ title, children }: { title?: string; children: ReactNode }) {
  return (
    <section
      className="border-b px-4 py-2.5 last:border-b-0"
      {...(title && { "aria-label": title })}
    >
      {title && <h2 className="m-0 mb-1 text-xs font-semibold text-muted">{title}</h2>}
      {children}
    </section>
  );
}

/** A link that leaves the console. */
function Outside({ url, children }: { url: string; children: ReactNode }) {
  return (
    <a
      href={url}
      target="_blank"
      rel="noreferrer"
      className="inline-flex max-w-full min-w-0 items-center gap-1 text-accent hover:underline"
      data-tooltip={url}
    >
      <span className="truncate">{children}</span>
      <ExternalLink aria-hidden="true" size={12} strokeWidth={1.75} className="shrink-0" />
    </a>
  );
}

const Pointers = ({ pointers }: { pointers: readonly Pointer[] }) =>
  pointers.map(({ key, text, url }) => (
    <span key={`${key} ${text}`} className="block truncate" data-tooltip={key}>
      {url === undefined ? text : <Outside url={url}>{text}</Outside>}
    </span>
  ));

function Pairs({ pairs }: { pairs: Readonly<Record<string, string>> }) {
  const entries = Object.entries(pairs).toSorted(([one], [other]) => one.localeCompare(other));
  return (
    <dl className="m-0 font-mono text-xs">
      {entries.map(([key, value]) => (
        <div key={key} className="group flex items-baseline gap-2 py-0.5">
          <dt className="max-w-[45%] shrink-0 truncate text-muted" data-tooltip={key}>
            {key}
          </dt>
          <dd className="m-0 min-w-0 flex-1 truncate" data-tooltip={value}>
            {value}
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Property({ property }: { property: ItemProperty }) {
  const { name, label, text, value, max } = property;
  const unit = property.unit ?? undefined;
  const shown =
    text ||
    (typeof value === "number" ? (max ? quantityOf(value, max, unit) : quantity(value, unit)) : "");
  const exact = text || typeof value !== "number" ? undefined : exactQuantity(value, unit);
  const url = safeUrl(text);
  const links = (property.links ?? []).flatMap((link) => {
    const to = safeUrl(link.url);
    return to === undefined ? [] : [{ to, text: link.label || link.text || to }];
  });
  return (
    <Fact label={label || name || "Property"}>
      {url === undefined ? (
        <span data-tooltip={exact}>{shown}</span>
      ) : (
        <Outside url={url}>{shown}</Outside>
      )}
      {links.map((link) => (
        <span key={link.to} className="block">
          <Outside url={link.to}>{link.text}</Outside>
        </span>
      ))}
      {shown === "" && links.length === 0 && "–"}
    </Fact>
  );
}

/** From the outermost to the one that the item stands in. */
function Above({ path }: { path: string | null }) {
  const { data } = useQuery(itemQueries.above(path));
  if (!path) return null;
  return (
    <Section title="Stands in">
      {data ? (
        <ol className="m-0 list-none p-0">
          {data.map((item, depth) => (
            <li key={item.id} className="py-0.5 text-sm" style={{ paddingLeft: depth * 12 }}>
              <ItemLink item={item} />
            </li>
          ))}
        </ol>
      ) : (
        <span className="skeleton block h-4 w-40" />
      )}
    </Section>
  );
}

/** What an item is, where it comes from, and who answers for it. */
export function ItemDetails({ item }: { item: Item }) {
  const isDeleted = item.deleted_at !== null;
  const { owners, runbooks, onCall } = ownershipOf(item);
  const [externalId, ...aliases] = (item.external_id ?? []).filter(
    (id): id is string => id !== null && id !== "",
  );
  const agent = elsewhere(item.agent);
  const hasCost = [
    item.cost_per_minute,
    item.cost_total_1d,
    item.cost_total_7d,
    item.cost_total_30d,
  ].some(Boolean);
  return (
    <>
      <div className="flex flex-wrap gap-2 px-4 pt-3 empty:hidden">
        <PlaceActions of="config" given={{ item }} />
      </div>
      <Section>
        <dl className="m-0">
          <Fact label="Name">
            <bdi>{item.name ?? item.id}</bdi>
          </Fact>
          <Fact label="Type">
            <AppLink
              to={paths.catalog({ configType: item.type })}
              className="hover:text-accent hover:underline"
            >
              {item.type}
            </AppLink>
          </Fact>
          {item.config_class && item.config_class !== item.type && (
            <Fact label="Class">{item.config_class}</Fact>
          )}
          <Fact label={isDeleted ? "Last status" : "Health"}>
            <HealthBadge health={item.health} status={item.status} isDeleted={isDeleted} />
          </Fact>
          {isDeleted && (
            <Fact label="Deleted">
              <DeletedMark at={item.deleted_at} reason={item.delete_reason} />
            </Fact>
          )}
          {item.description && <Fact label="Description">{item.description}</Fact>}
          <Fact label="Owner">
            {owners.length > 0 ? (
              <Pointers pointers={owners} />
            ) : (
              <span
                className="text-muted"
                data-tooltip={
                  "No label, annotation or property says whose it is\n(owner, team, maintainer)"
                }
              >
                Unowned
              </span>
            )}
          </Fact>
          {runbooks.length > 0 && (
            <Fact label="Runbook">
              <Pointers pointers={runbooks} />
            </Fact>
          )}
          {onCall.length > 0 && (
            <Fact label="On call">
              <Pointers pointers={onCall} />
            </Fact>
          )}
        </dl>
      </Section>
      <Section>
        <dl className="m-0">
          <Fact label="Created">
            <Age at={item.created_at} />
          </Fact>
          <Fact label="Updated">
            <Age at={item.updated_at} />
          </Fact>
          <Fact label="Last scraped">
            {isDeleted || !item.last_scraped_time ? (
              <Age at={item.last_scraped_time} />
            ) : (
              <span className="flex flex-wrap items-center gap-2">
                <Age at={item.last_scraped_time} />
                <StaleMark at={item.last_scraped_time} isShort />
              </span>
            )}
          </Fact>
          {item.config_scrapers && (
            <Fact label="Scraper">
              <ResourceLink
                kind="config_scraper"
                id={item.config_scrapers.id}
                name={item.config_scrapers.name}
              />
            </Fact>
          )}
          {agent !== undefined && <Fact label="Agent">{agent}</Fact>}
          {item.source && (
            <Fact label="Source">
              {safeUrl(item.source) === undefined ? (
                item.source
              ) : (
                <Outside url={safeUrl(item.source)!}>{item.source}</Outside>
              )}
            </Fact>
          )}
          {hasCost && (
            <Fact label="Cost">
              <CostText
                of="30d"
                cost_total_1d={item.cost_total_1d}
                cost_total_7d={item.cost_total_7d}
                cost_total_30d={item.cost_total_30d}
              />{" "}
              <span className="text-xs text-muted">in 30 days</span>
            </Fact>
          )}
        </dl>
      </Section>
      <Section title="Notes">
        <ItemNotes key={item.id} itemId={item.id} />
      </Section>
      {item.properties && item.properties.length > 0 && (
        <Section title="Properties">
          <dl className="m-0">
            {item.properties.map((property, index) => (
              // What a scraper brings may have one name twice.
              // oxlint-disable-next-line react/no-array-index-key
              <Property key={index} property={property} />
            ))}
          </dl>
        </Section>
      )}
      {item.tags && Object.keys(item.tags).length > 0 && (
        <Section title="Tags">
          <Pairs pairs={item.tags} />
        </Section>
      )}
      {item.labels && Object.keys(item.labels).length > 0 && (
        <Section title="Labels">
          <Pairs pairs={item.labels} />
        </Section>
      )}
      <Above path={item.path} />
      <Section title="Ids">
        <dl className="m-0">
          <Fact label="Id">
            <Copied text={item.id} />
          </Fact>
          {externalId !== undefined && (
            <Fact label="External id">
              <Copied text={externalId} />
            </Fact>
          )}
          {aliases.length > 0 && (
            <Fact label={aliases.length === 1 ? "Alias" : "Aliases"}>
              {aliases.map((alias) => (
                <Copied key={alias} text={alias} />
              ))}
            </Fact>
          )}
        </dl>
      </Section>
    </>
  );
}

function Copied({ text }: { text: string }) {
  return (
    <span className="flex min-w-0 items-center gap-1">
      <span className="min-w-0 truncate font-mono text-xs" data-tooltip={text}>
        {text}
      </span>
      <CopyButton label={`Copy ${text}`} text={text} />
    </span>
  );
}
