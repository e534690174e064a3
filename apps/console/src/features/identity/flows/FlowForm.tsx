import { type FormEvent, lazy, Suspense, useEffect, useRef } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import { toastFailed } from "@mainstay/ui/toasts.ts";
import { messageOf } from "#lib/api-error.ts";
import { FlowField, FlowMessages } from "./FlowField.tsx";
import {
  flowBody,
  type FlowName,
  type FlowNode,
  type InputNode,
  initialValues,
  isButton,
  isHidden,
  isInput,
  typedInto,
} from "./flow.ts";
import type { FlowText } from "../FlowText.tsx";
import type { FlowState } from "./use-flow.ts";

/** Most people sign in without seeing any. */
export const loadFlowText = async (): Promise<{ default: typeof FlowText }> => {
  const module = await import("../FlowText.tsx");
  loadedText = module.FlowText;
  return { default: module.FlowText };
};
const LazyFlowText = lazy(loadFlowText);
/** Once it is there it is drawn at once: what is lazy would leave its place empty for a moment. */
let loadedText: typeof FlowText | undefined;

/** Groups in the order in which they are offered; others follow. */
const groupOrder = [
  "profile",
  "password",
  "code",
  "link",
  "totp",
  "webauthn",
  "passkey",
  "lookup_secret",
  "oidc",
  "saml",
];
const rank = (group: string): number => {
  const place = groupOrder.indexOf(group);
  return place === -1 ? groupOrder.length : place;
};

const isShown = (node: FlowNode): boolean =>
  isInput(node) ? !isHidden(node) : node.attributes.node_type !== "script";

/** The groups of a flow that have something to show, without `default`, which belongs to all of them. */
export function shownGroups(nodes: readonly FlowNode[]): string[] {
  const groups = new Set(nodes.filter(isShown).map((node) => node.group));
  groups.delete("default");
  return [...groups].toSorted((one, other) => rank(one) - rank(other));
}

/** A button that needs the browser's own keys rather than a plain form: the service ships a script for it. */
const isTrigger = (node: InputNode): boolean =>
  node.attributes.type === "button" &&
  (node.attributes.onclick !== undefined ||
    node.attributes.onclickTrigger !== undefined ||
    node.attributes.name.endsWith("_trigger"));

const takesAway = /_remove$|_disable$|unlink$/;

export interface FlowFormProps {
  state: FlowState;
  name: FlowName;
  /** Only these groups are shown and sent; all of them, each as a form of its own, when left out. */
  groups?: readonly string[];
  /** Puts the cursor into the first empty field. */
  focuses?: boolean;
}

/** Draws the fields, texts and buttons that the identity service names. */
export function FlowForm({ state, name, groups, focuses = true }: FlowFormProps) {
  const { flow, typed, isBusy } = state;
  const container = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (flow) container.current?.querySelector<HTMLElement>("[aria-invalid=true]")?.focus();
  }, [flow]);
  if (!flow) return null;

  const nodes = flow.ui.nodes.filter((node) => !groups || groups.includes(node.group));
  const values = { ...initialValues(flow), ...typedInto(flow, typed) };
  const own = shownGroups(nodes);
  const common = nodes.filter((node) => node.group === "default" && isShown(node));
  // What belongs to every method (an address, say) stands above the first one.
  const sections =
    own.length === 0
      ? [common]
      : own.map((group, index) => [
          ...(index === 0 ? common : []),
          ...nodes.filter((node) => node.group === group && isShown(node)),
        ]);
  const first = focuses
    ? sections[0]
        ?.filter(isInput)
        .find((node) => !isButton(node) && values[node.attributes.name] === "")
    : undefined;

  const send = (pressed: InputNode | undefined, found = {}) =>
    state.submit(flowBody(flow, typed, { pressed, groups, found }));

  const submit = (event: FormEvent<HTMLFormElement>, section: readonly FlowNode[]) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const buttons = section.filter(isInput).filter(isButton);
    send(
      buttons.find(
        (node) =>
          node.attributes.name === submitter?.getAttribute("name") &&
          String(node.attributes.value ?? "") === submitter.getAttribute("value"),
      ) ?? buttons.find((node) => node.attributes.type === "submit"),
    );
  };

  const trigger = async (node: InputNode) => {
    try {
      const { runTrigger } = await import("../web-authn.ts");
      send(undefined, await runTrigger(flow, node, values));
    } catch (error) {
      toastFailed(messageOf(error));
    }
  };

  const button = (node: InputNode, isMain: boolean) => {
    const { name: field, value, disabled } = node.attributes;
    const runs = isTrigger(node);
    return (
      <Button
        key={`${field}=${String(value)}`}
        type={runs ? "button" : "submit"}
        kind={takesAway.test(field) ? "danger" : isMain ? "primary" : "plain"}
        name={field}
        value={String(value ?? "")}
        formNoValidate={!isMain}
        disabled={isBusy || disabled === true}
        onClick={runs ? () => void trigger(node) : undefined}
        className={classNames("mt-1 h-8", groups ? "self-start" : "w-full")}
      >
        {node.meta.label?.text ?? "Submit"}
      </Button>
    );
  };

  const Text = loadedText ?? LazyFlowText;
  return (
    <div ref={container} className="flex flex-col gap-4">
      {sections.map((section, index) => {
        const main = index === 0 ? mainButton(section) : undefined;
        return (
          <form
            key={own[index] ?? "default"}
            onSubmit={(event) => submit(event, section)}
            className="flex flex-col gap-3"
          >
            {index > 0 && (index === 1 || hasField(section) || hasField(sections[index - 1]!)) && (
              <Or />
            )}
            <UserName nodes={nodes} />
            {section.map((node, place) =>
              !isInput(node) ? (
                <Suspense key={place}>
                  <Text node={node} />
                </Suspense>
              ) : isButton(node) ? (
                button(node, node === main)
              ) : (
                <FlowField
                  key={node.attributes.name}
                  node={node}
                  flowName={name}
                  value={values[node.attributes.name] ?? ""}
                  isFirst={node === first}
                  onChange={(value) => state.type(node.attributes.name, value)}
                />
              ),
            )}
            {section
              .filter(isInput)
              .filter((node) => isButton(node) && node.messages.length > 0)
              .map((node) => (
                <FlowMessages
                  key={node.attributes.name}
                  id={`${node.attributes.name}-messages`}
                  messages={node.messages}
                />
              ))}
          </form>
        );
      })}
    </div>
  );
}

/** Ways that are one button each stand together. */
const hasField = (section: readonly FlowNode[]): boolean =>
  section.some((node) => isInput(node) && !isButton(node));

const isOidc = (node: FlowNode): boolean => node.group === "oidc" || node.group === "saml";

/** What somebody most likely came for: to confirm what was begun, else the first thing that takes nothing away. */
function mainButton(section: readonly FlowNode[]): InputNode | undefined {
  const buttons = section
    .filter(isInput)
    .filter((node) => isButton(node) && !isOidc(node) && !takesAway.test(node.attributes.name));
  return buttons.find((node) => node.attributes.name.endsWith("_confirm")) ?? buttons[0];
}

/** For password managers: whose password is asked for when the address is not a field. */
function UserName({ nodes }: { nodes: readonly FlowNode[] }) {
  const known = nodes
    .filter(isInput)
    .find((node) => isHidden(node) && node.attributes.name === "identifier");
  if (!known) return null;
  return (
    <input
      hidden
      readOnly
      name="identifier"
      autoComplete="username"
      value={String(known.attributes.value ?? "")}
    />
  );
}

function Or() {
  return (
    <div className="flex items-center gap-3 text-2xs text-muted">
      <span className="h-px flex-1 bg-border" />
      or
      <span className="h-px flex-1 bg-border" />
    </div>
  );
}
