import { useRef, useState } from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import type { Choice } from "@mainstay/ui/choice/choice.ts";
import { MultiSelect } from "@mainstay/ui/choice/MultiSelect.tsx";
import { ResourceSelector } from "@mainstay/ui/choice/ResourceSelector.tsx";
import { TypeGrid } from "@mainstay/ui/choice/TypeGrid.tsx";
import type { ChoiceSearch } from "@mainstay/ui/choice/use-choice-search.ts";
import { checkNumber, checkRequired } from "@mainstay/ui/fields/check-field.ts";
import { CheckboxField, SelectField } from "@mainstay/ui/fields/ChoiceFields.tsx";
import { focusFirstInvalid } from "@mainstay/ui/fields/Field.tsx";
import { emptySourced, SourcedField } from "@mainstay/ui/fields/SourcedField.tsx";
import { NumberField } from "@mainstay/ui/fields/NumberField.tsx";
import { checkCpu, checkMemory } from "@mainstay/ui/fields/quantity.ts";
import { CpuField, MemoryField } from "@mainstay/ui/fields/QuantityFields.tsx";
import { SecretField, TextAreaField, TextField } from "@mainstay/ui/fields/TextField.tsx";
import { Icon } from "@mainstay/ui/Icon.tsx";
import { toastDone } from "@mainstay/ui/toasts.ts";
import { Show, State } from "./Show.tsx";

const events = [
  "check.failed",
  "check.passed",
  "config.created",
  "config.deleted",
  "config.updated",
];
const resources: Choice[] = Array.from({ length: 500 }, (_, index) => ({
  value: `r${index}`,
  label: `${["payments", "checkout", "search", "web"][index % 4]}-${index}`,
  detail: index % 3 === 0 ? "Kubernetes::Deployment" : "AWS::EC2::Instance",
  icon: <Icon name={index % 3 === 0 ? "kubernetes" : "aws"} />,
}));

const types = (names: readonly string[]) =>
  names.map((name) => ({
    value: name,
    label: name,
    help: `What is called ${name}.`,
    icon: <Icon name={name} />,
  }));
const typeGroups = [
  { label: "Databases", items: types(["postgres", "mysql", "redis", "mongo", "elasticsearch"]) },
  { label: "Clouds", items: types(["aws", "azure", "kubernetes", "unknown-to-everybody"]) },
];

/** Answers as a server would: after a while, with the first of what it has, or not at all. */
const search: ChoiceSearch = async (text, signal) => {
  await new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, 250);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new Error("ended"));
    });
  });
  if (text === "fail") throw new Error("Network Error. Please try again.");
  const found = resources.filter((choice) => choice.label.includes(text));
  return { choices: found.slice(0, 50), isPartial: found.length > 50 };
};

function ExampleForm() {
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState({ name: "", port: "", memory: "", cpu: "", kind: "" });
  const [isTried, setIsTried] = useState(false);
  const set = (name: keyof typeof values) => (value: string) =>
    setValues({ ...values, [name]: value });
  const errors = isTried
    ? {
        name: checkRequired(values.name),
        port: checkNumber(values.port, { required: true, min: 1, max: 65_535, whole: true }),
        memory: checkMemory(values.memory, true),
        cpu: checkCpu(values.cpu),
        kind: checkRequired(values.kind),
      }
    : {};
  return (
    <form
      ref={form}
      noValidate
      className="flex w-full max-w-md flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        setIsTried(true);
        requestAnimationFrame(() => {
          if (!focusFirstInvalid(form.current)) toastDone("Saved");
        });
      }}
    >
      <TextField
        label="Name"
        required
        hint="Lower case letters, digits and hyphens"
        value={values.name}
        error={errors.name}
        onChange={set("name")}
      />
      <NumberField
        label="Port"
        required
        value={values.port}
        error={errors.port}
        onChange={set("port")}
      />
      <MemoryField
        label="Memory"
        required
        value={values.memory}
        error={errors.memory}
        onChange={set("memory")}
      />
      <CpuField label="CPU" value={values.cpu} error={errors.cpu} onChange={set("cpu")} />
      <SelectField
        label="Kind"
        required
        placeholder="Choose a kind"
        value={values.kind}
        error={errors.kind}
        options={[
          { value: "http", label: "HTTP" },
          { value: "tcp", label: "TCP" },
        ]}
        onChange={set("kind")}
      />
      <code className="font-mono text-2xs break-all text-muted">{JSON.stringify(values)}</code>
      <div>
        <Button type="submit" kind="primary">
          Save
        </Button>
      </div>
    </form>
  );
}

export function Fields() {
  const [text, setText] = useState("payments");
  const [secret, setSecret] = useState("correct horse");
  const [isOn, setIsOn] = useState(true);
  const [isKept, setIsKept] = useState(true);
  const [sourced, setSourced] = useState({ ...emptySourced, value: "correct horse" });
  const [chosen, setChosen] = useState<readonly string[]>(["check.failed", "gone.event"]);
  const [one, setOne] = useState<readonly Choice[]>([]);
  const [several, setSeveral] = useState<readonly Choice[]>(resources.slice(0, 3));
  const box = "w-full max-w-md";
  return (
    <>
      <Show title="A form">
        <ExampleForm />
      </Show>
      <Show title="Text">
        <div className={`${box} flex flex-col gap-3`}>
          <TextField label="Name" value={text} onChange={setText} />
          <TextField
            label="With an error"
            value={text}
            error="Entered value does not match email format"
            onChange={setText}
          />
          <TextField label="Read only" readOnly value="cannot be changed" onChange={setText} />
          <TextField label="Disabled" disabled value="not now" onChange={setText} />
          <SecretField label="Password" value={secret} onChange={setSecret} />
          <TextAreaField label="Description" value={text} onChange={setText} />
          <TextAreaField
            label="Script"
            isCode
            value={text}
            error="The script ends in the middle of a string"
            onChange={setText}
          />
          <NumberField
            label="Threshold"
            unit="ms"
            value={text}
            error={checkNumber(text)}
            onChange={setText}
          />
        </div>
      </Show>
      <Show title="A value and where it comes from">
        <div className={`${box} flex flex-col gap-3`}>
          <SourcedField label="Token" required isSecret value={sourced} onChange={setSourced} />
          <SourcedField
            label="Half of a reference"
            value={{ ...emptySourced, from: "configmap", name: "settings" }}
            error="This field is required"
            onChange={setSourced}
          />
          <SourcedField
            label="Kubeconfig"
            isSecret
            isMultiline
            hint="A secret of several lines"
            value={sourced}
            onChange={setSourced}
          />
          <SourcedField
            label="Kept"
            isSecret
            isKept={isKept}
            onKeep={setIsKept}
            value={sourced}
            onChange={setSourced}
          />
        </div>
      </Show>
      <Show title="Types to pick from">
        <div className="w-full max-w-2xl">
          <TypeGrid
            noun="type"
            groups={typeGroups}
            onChoose={(type) => toastDone(`${type} was picked`)}
          />
        </div>
      </Show>
      <Show title="Yes or no">
        <CheckboxField label="Insecure TLS" checked={isOn} onChange={setIsOn} />
        <CheckboxField
          label="Required"
          checked={false}
          error="This field is required"
          onChange={setIsOn}
        />
        <CheckboxField
          label="Disabled"
          disabled
          checked
          hint="An administrator can change it"
          onChange={setIsOn}
        />
      </Show>
      <Show title="Multi-select">
        <div className={box}>
          <MultiSelect
            label="Events"
            required
            options={events.map((event) => ({ value: event, label: event }))}
            value={chosen}
            onChange={setChosen}
            placeholder="Choose events"
          />
        </div>
        <div className={box}>
          <MultiSelect
            label="With an error"
            options={[]}
            value={[]}
            error="This field is required"
            onChange={setChosen}
          />
        </div>
        <div className={box}>
          <MultiSelect
            label="Disabled"
            disabled
            options={[]}
            value={["check.failed"]}
            onChange={setChosen}
          />
        </div>
      </Show>
      <Show title="Resource selector">
        <State name="searched 300 ms after the last key; “fail” fails">
          <div className={box}>
            <ResourceSelector
              label="Resource"
              search={search}
              chosen={one}
              onChange={setOne}
              placeholder="Search resources"
            />
          </div>
        </State>
        <State name="several">
          <div className={box}>
            <ResourceSelector
              label="Resources"
              multiple
              search={search}
              chosen={several}
              onChange={setSeveral}
            />
          </div>
        </State>
      </Show>
    </>
  );
}
