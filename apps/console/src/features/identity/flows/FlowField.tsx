import { useState } from "react";
import type { FlowMessage, FlowName, InputNode } from "./flow.ts";

export function FlowMessages({ id, messages }: { id: string; messages: readonly FlowMessage[] }) {
  if (messages.length === 0) return null;
  const isAlarming = messages.some((message) => message.type === "error");
  return (
    <span id={id} role={isAlarming ? "alert" : "status"} className="flex flex-col gap-1 text-xs">
      {messages.map((message) => (
        <span
          key={`${message.id} ${message.text}`}
          className={
            { error: "text-unhealthy-fg", success: "text-healthy-fg", info: "text-info-fg" }[
              message.type
            ]
          }
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
  url: "url",
  date: "date",
  "datetime-local": "datetime-local",
};

/** What a password manager is told when the service says nothing itself. */
function autoCompleteOf(name: string, flowName: FlowName): string {
  if (name === "password") return flowName === "login" ? "current-password" : "new-password";
  return (
    {
      identifier: "username",
      totp_code: "one-time-code",
      code: "one-time-code",
      email: "email",
      "traits.email": "email",
      "traits.name.first": "given-name",
      "traits.name.last": "family-name",
    }[name] ?? "off"
  );
}

export interface FlowFieldProps {
  node: InputNode;
  flowName: FlowName;
  value: string | boolean | number;
  isFirst: boolean;
  onChange: (value: string | boolean) => void;
}

export function FlowField({ node, flowName, value, isFirst, onChange }: FlowFieldProps) {
  const [isShown, setIsShown] = useState(false);
  const { name, type, required, disabled, maxlength } = node.attributes;
  const label = node.meta.label?.text ?? node.attributes.label?.text ?? name;
  const messagesId = `${node.group}-${name}-messages`;
  const messages = <FlowMessages id={messagesId} messages={node.messages} />;
  const describedBy = node.messages.length > 0 ? messagesId : undefined;
  if (type === "checkbox") {
    return (
      <span className="flex flex-col gap-1">
        <label className="flex items-center gap-2 text-sm">
          <input
            type="checkbox"
            name={name}
            checked={value === true || value === "true"}
            disabled={disabled}
            required={required}
            aria-describedby={describedBy}
            onChange={(event) => onChange(event.target.checked)}
          />
          {label}
        </label>
        {messages}
      </span>
    );
  }
  const isCode = name === "code" || name === "totp_code";
  return (
    <span className="flex flex-col gap-1">
      <label className="flex flex-col gap-1 text-xs text-muted">
        {label}
        <input
          name={name}
          type={isShown ? "text" : (fieldTypes[type] ?? "text")}
          value={String(value)}
          required={required}
          disabled={disabled}
          maxLength={maxlength}
          inputMode={isCode ? "numeric" : undefined}
          spellCheck={type === "text" && !isCode ? undefined : false}
          autoComplete={node.attributes.autocomplete ?? autoCompleteOf(name, flowName)}
          // oxlint-disable-next-line jsx-a11y/no-autofocus -- filling out the form is all there is to do on this page
          autoFocus={isFirst}
          aria-invalid={node.messages.some((message) => message.type === "error")}
          aria-describedby={describedBy}
          onChange={(event) => onChange(event.target.value)}
          className="field h-8! text-text"
        />
      </label>
      {type === "password" && value !== "" && (
        <button
          type="button"
          aria-pressed={isShown}
          onClick={() => setIsShown(!isShown)}
          className="self-end rounded-control px-1 text-2xs text-muted hover:text-text"
        >
          {isShown ? "Hide password" : "Show password"}
        </button>
      )}
      {messages}
    </span>
  );
}
