import { useState, type FormEvent } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { classNames } from "@mainstay/ui/class-names.ts";
import {
  flowBody,
  initialValues,
  isButton,
  isInput,
  type Flow,
  type FlowMessage,
  type FlowNode,
  type FlowValues,
  type InputNode,
} from "./flow.ts";

function Messages({ id, messages }: { id: string; messages: readonly FlowMessage[] }) {
  if (messages.length === 0) return null;
  return (
    <span id={id} role="alert" className="flex flex-col gap-1 text-xs">
      {messages.map((message) => (
        <span
          key={message.id}
          className={message.type === "error" ? "text-unhealthy-fg" : "text-info-fg"}
        >
          {message.text}
        </span>
      ))}
    </span>
  );
}

const fieldTypes: Record<string, string> = {
  password: "password",
  email: "email",
  number: "number",
  tel: "tel",
};
const autocomplete: Record<string, string> = {
  identifier: "username",
  password: "current-password",
};

function Field({
  node,
  value,
  isFirst,
  onChange,
}: {
  node: InputNode;
  value: string | boolean | number;
  isFirst: boolean;
  onChange: (value: string | boolean) => void;
}) {
  const { name, type, required, disabled } = node.attributes;
  const label = node.meta.label?.text ?? name;
  const hasError = node.messages.some((message) => message.type === "error");
  const describedBy = node.messages.length > 0 ? `${name}-messages` : undefined;
  if (type === "hidden") return <input type="hidden" name={name} value={String(value)} readOnly />;
  if (type === "checkbox") {
    return (
      <label className="flex items-center gap-2 text-sm">
        <input
          type="checkbox"
          name={name}
          checked={value === true}
          disabled={disabled}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
        <Messages id={`${name}-messages`} messages={node.messages} />
      </label>
    );
  }
  return (
    <label className="flex flex-col gap-1 text-xs text-muted">
      {label}
      <input
        name={name}
        type={fieldTypes[type] ?? "text"}
        value={String(value)}
        required={required}
        disabled={disabled}
        autoComplete={node.attributes.autocomplete ?? autocomplete[name] ?? "off"}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- signing in is all there is to do on this page
        autoFocus={isFirst}
        aria-invalid={hasError}
        aria-describedby={describedBy}
        onChange={(event) => onChange(event.target.value)}
        className="field h-8! text-text"
      />
      <Messages id={`${name}-messages`} messages={node.messages} />
    </label>
  );
}

function Other({ node }: { node: FlowNode }) {
  switch (node.attributes.node_type) {
    case "text":
      return <p className="m-0 text-sm">{node.attributes.text.text}</p>;
    case "img":
      return (
        <img src={node.attributes.src} alt={node.meta.label?.text ?? ""} className="self-center" />
      );
    case "a":
      return (
        <a href={node.attributes.href} className="text-sm text-accent underline">
          {node.attributes.title.text}
        </a>
      );
    case "script":
    case "input":
      // Scripts of another origin are not run: the content security policy would refuse them as well.
      return null;
  }
}

export interface FlowFormProps {
  flow: Flow;
  isBusy: boolean;
  onSubmit: (values: FlowValues) => void;
}

/** Draws the fields, texts and buttons that the identity service names. */
export function FlowForm({ flow, isBusy, onSubmit }: FlowFormProps) {
  const [typed, setTyped] = useState<FlowValues>({});
  const values = { ...initialValues(flow), ...typed };
  const inputs = flow.ui.nodes.filter(isInput);
  const fields = inputs.filter((node) => !isButton(node));
  const buttons = inputs.filter((node) => isButton(node) && node.group !== "oidc");
  const first = fields.find(
    (node) => node.attributes.type !== "hidden" && values[node.attributes.name] === "",
  );

  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    const name = submitter?.getAttribute("name");
    const value = submitter?.getAttribute("value");
    const pressed =
      buttons.find(
        (node) => node.attributes.name === name && String(node.attributes.value) === value,
      ) ?? buttons[0];
    onSubmit(flowBody(flow, typed, pressed));
  };

  return (
    <>
      <Messages id="flow-messages" messages={flow.ui.messages ?? []} />
      <form
        action={flow.ui.action}
        method={flow.ui.method}
        onSubmit={submit}
        className="flex flex-col gap-3"
      >
        {fields.map((node) => (
          <Field
            key={node.attributes.name}
            node={node}
            value={values[node.attributes.name] ?? ""}
            isFirst={node === first}
            onChange={(value) => setTyped({ ...typed, [node.attributes.name]: value })}
          />
        ))}
        {flow.ui.nodes
          .filter((node) => !isInput(node))
          .map((node, index) => (
            <Other key={index} node={node} />
          ))}
        {buttons.map((node) => (
          <Button
            key={`${node.attributes.name}=${String(node.attributes.value)}`}
            type="submit"
            kind="primary"
            name={node.attributes.name}
            value={String(node.attributes.value ?? "")}
            disabled={isBusy || node.attributes.disabled === true}
            className={classNames("mt-1 h-8 w-full")}
          >
            {node.meta.label?.text ?? "Submit"}
          </Button>
        ))}
      </form>
      {inputs
        .filter((node) => node.group === "oidc" && isButton(node))
        .map((node) => (
          // Another provider's page follows, so the browser itself submits this one.
          <form key={String(node.attributes.value)} action={flow.ui.action} method={flow.ui.method}>
            {fields
              .filter((field) => field.attributes.type === "hidden")
              .map((field) => (
                <input
                  key={field.attributes.name}
                  type="hidden"
                  name={field.attributes.name}
                  value={String(field.attributes.value ?? "")}
                  readOnly
                />
              ))}
            <Button
              type="submit"
              name={node.attributes.name}
              value={String(node.attributes.value ?? "")}
              className="h-8 w-full"
            >
              {node.meta.label?.text ?? String(node.attributes.value)}
            </Button>
          </form>
        ))}
    </>
  );
}
