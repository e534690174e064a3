import { Button } from "@mainstay/ui/Button.tsx";
import { copyText } from "@mainstay/ui/toasts.ts";
import { isPageAddress } from "./flows/flow-failure.ts";
import type { FlowNode } from "./flows/flow.ts";

/** Kratos' number for the list of lookup secrets, and for one that was used. */
const secretsId = 1050015;
const usedId = 1050014;

interface Secret {
  id?: number;
  text: string;
  context?: { secret?: string };
}

function secretsOf(context: Record<string, unknown> | undefined): Secret[] {
  const list: unknown = context?.secrets;
  return Array.isArray(list)
    ? list.filter(
        (item): item is Secret =>
          typeof item === "object" &&
          item !== null &&
          "text" in item &&
          typeof item.text === "string",
      )
    : [];
}

function LookupSecrets({ label, secrets }: { label: string; secrets: readonly Secret[] }) {
  const unused = secrets.filter((secret) => secret.id !== usedId);
  return (
    <div className="flex flex-col gap-2">
      <span className="text-xs text-muted">{label}</span>
      <ul
        aria-label={label}
        className="m-0 grid list-none grid-cols-2 gap-x-4 gap-y-1 rounded-control bg-sunken p-3 font-mono text-sm"
      >
        {secrets.map((secret, index) => (
          <li
            // Used ones all read the same.
            key={index}
            className={secret.id === usedId ? "font-sans text-xs text-muted line-through" : ""}
          >
            {secret.text}
          </li>
        ))}
      </ul>
      {unused.length > 0 && (
        <Button
          className="self-start"
          onClick={() => void copyText(unused.map((secret) => secret.text).join("\n"))}
        >
          Copy codes
        </Button>
      )}
    </div>
  );
}

/** A node that is no input: words, a picture, a link. */
export function FlowText({ node }: { node: FlowNode }) {
  const label = node.meta.label?.text;
  switch (node.attributes.node_type) {
    case "text": {
      const { id, text, context } = node.attributes.text;
      const secrets = secretsOf(context);
      if (id === secretsId && secrets.length > 0)
        return <LookupSecrets label={label ?? "Codes"} secrets={secrets} />;
      return (
        <div className="flex flex-col gap-1">
          {label !== undefined && <span className="text-xs text-muted">{label}</span>}
          <p
            className={
              label === undefined
                ? "m-0 text-sm"
                : "m-0 rounded-control bg-sunken px-2 py-1.5 font-mono text-xs break-all select-all"
            }
          >
            {text}
          </p>
        </div>
      );
    }
    case "img":
      return (
        <figure className="m-0 flex flex-col gap-1">
          {label !== undefined && <figcaption className="text-xs text-muted">{label}</figcaption>}
          <img
            src={node.attributes.src}
            alt={label ?? "Picture"}
            width={node.attributes.width ?? 200}
            height={node.attributes.height ?? 200}
            // Cameras read dark on light only.
            className="max-w-full self-center rounded-control"
          />
        </figure>
      );
    case "a":
      return isPageAddress(node.attributes.href) ? (
        <a href={node.attributes.href} className="text-sm text-accent underline">
          {node.attributes.title.text}
        </a>
      ) : null;
    case "script":
    case "input":
      // Scripts of another origin are not run: `web-authn.ts` does what they are for.
      return null;
  }
}
