import {
  type ComponentType,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useEffectEvent,
  useRef,
  useState,
} from "react";
import { Button } from "@mainstay/ui/Button.tsx";
import { FrontDoor, loadSessionErrorPage } from "#features/identity/index.ts";
import { messageOf } from "#lib/api-error.ts";
import type { HostedMode } from "#lib/auth-mode.ts";
import {
  enter,
  type Failure,
  pageBeforeSignOut,
  signInAgain,
  signOutAnyway,
  type Step,
} from "./enter.ts";
import { createAt, switchTo } from "./OrganizationSwitcher.tsx";
import type { Organization } from "./organizations.ts";

/** How often a server that is being set up is asked whether it is there. */
const ASK_EVERY_MS = 5_000;

export interface HostedDoorProps {
  mode: HostedMode;
  /** Begun before anything is drawn: what the provider sent the browser back with is of use once. */
  entering: Promise<Step>;
  loadConsole: () => Promise<ComponentType>;
}

/** The way into the console by way of the provider, and the console once it is open. */
export function HostedDoor({ mode, entering, loadConsole }: HostedDoorProps) {
  const [step, setStep] = useState<Step | undefined>();
  const [Console, setConsole] = useState<ComponentType>();

  const arrive = async (reached: Step): Promise<void> => {
    if (reached.kind !== "open") return setStep(reached);
    const loaded = await loadConsole();
    setConsole(() => loaded);
  };
  const show = (next: Promise<Step>): Promise<void> =>
    next.then(arrive).catch((error: unknown) => {
      setStep({ kind: "failed", title: "Sorry.. there was an error", message: messageOf(error) });
    });
  const begin = useEffectEvent(() => show(entering));
  useEffect(() => {
    void Promise.resolve().then(begin);
  }, []);

  /** Shows that something is under way, and then what came of it. */
  const go = (next: () => Promise<Step>) => {
    setStep(undefined);
    void show(next());
  };

  if (Console) return <Console />;
  switch (step?.kind) {
    case undefined:
    case "leaving":
    case "open":
      return <Waiting />;
    case "signedOut":
      return <SignedOut />;
    case "sessionError":
      return (
        <SessionError
          onSwitch={() => go(() => signInAgain(mode))}
          onSignOut={() => go(() => signOutAnyway(mode))}
        />
      );
    case "choose":
      return <Choose mode={mode} organizations={step.organizations} />;
    case "provisioning":
      return (
        <Provisioning
          onAsk={() => show(step.again())}
          onSwitch={() => go(() => signInAgain(mode))}
        />
      );
    case "failed":
      return (
        <Failed
          failure={step}
          onAgain={() => go(step.again ?? (() => enter(mode)))}
          onSwitch={() => go(() => signInAgain(mode))}
        />
      );
  }
}

const titled = (title: string) => {
  document.title = `${title} · Mainstay`;
};

function Door({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => titled(title), [title]);
  return <FrontDoor title={title}>{children}</FrontDoor>;
}

function Waiting() {
  return (
    <Door title="Signing in">
      <output aria-label="Signing in" className="skeleton block h-8 w-full" />
    </Door>
  );
}

function SignedOut() {
  return (
    <Door title="You are signed out">
      <p className="m-0 text-sm text-muted">Sign in again to go on where you left.</p>
      <Button kind="primary" onClick={() => window.location.replace(pageBeforeSignOut())}>
        Sign in
      </Button>
    </Door>
  );
}

const SessionErrorPage = lazy(() =>
  loadSessionErrorPage().then((component) => ({ default: component })),
);

function SessionError({ onSwitch, onSignOut }: { onSwitch: () => void; onSignOut: () => void }) {
  useEffect(() => titled("Session error"), []);
  return (
    <Suspense>
      <SessionErrorPage>
        <Button onClick={onSwitch}>Choose an organization</Button>
        <Button onClick={onSignOut}>Sign out</Button>
      </SessionErrorPage>
    </Suspense>
  );
}

interface ChooseProps {
  mode: HostedMode;
  organizations: readonly Organization[];
}

function Choose({ mode, organizations }: ChooseProps) {
  const { new_organization: newAddress } = mode;
  const isNone = organizations.length === 0;
  return (
    <Door title={isNone ? "You have no organization" : "Choose an organization"}>
      {isNone ? (
        <p className="m-0 text-sm text-muted">
          {newAddress === undefined
            ? "Ask an administrator of your organization to add you at the sign-in provider."
            : "Create one, or ask an administrator of an existing one to add you."}
        </p>
      ) : (
        <ul className="m-0 flex list-none flex-col gap-1.5 p-0">
          {organizations.map(({ id, name }) => (
            <li key={id}>
              <Button className="w-full min-w-0" onClick={() => switchTo(id)}>
                <span className="truncate">{name}</span>
              </Button>
            </li>
          ))}
        </ul>
      )}
      {newAddress !== undefined && (
        <Button kind={isNone ? "primary" : "quiet"} onClick={() => createAt(newAddress)}>
          Create organization
        </Button>
      )}
      {isNone && <Button onClick={() => switchAway()}>Try again</Button>}
    </Door>
  );
}

const switchAway = () => window.location.assign("/organizations/orgs-switched");

function Provisioning({ onAsk, onSwitch }: { onAsk: () => Promise<void>; onSwitch: () => void }) {
  const [isAsking, setIsAsking] = useState(false);
  const asking = useRef(false);
  const ask = async () => {
    if (asking.current) return;
    asking.current = true;
    setIsAsking(true);
    await onAsk();
    asking.current = false;
    setIsAsking(false);
  };
  const askAgain = useEffectEvent(ask);
  useEffect(() => {
    const timer = window.setInterval(() => void askAgain(), ASK_EVERY_MS);
    return () => window.clearInterval(timer);
  }, []);
  return (
    <Door title="Almost there">
      <output className="block">Please wait, instance provisioning in-progress ...</output>
      <div aria-hidden="true" className="skeleton h-1.5 w-full rounded-full" />
      <p className="m-0 text-sm text-muted">This page goes on by itself as soon as it is ready.</p>
      <div className="flex flex-wrap gap-2">
        <Button disabled={isAsking} onClick={() => void ask()}>
          Try again
        </Button>
        <Button kind="quiet" onClick={onSwitch}>
          Choose another organization
        </Button>
      </div>
    </Door>
  );
}

interface FailedProps {
  failure: Failure;
  onAgain: () => void;
  onSwitch: () => void;
}

function Failed({ failure, onAgain, onSwitch }: FailedProps) {
  const { title, message, signOut } = failure;
  return (
    <Door title={title}>
      <p role="alert" className="m-0 break-words">
        {message}
      </p>
      <div className="flex flex-col gap-2">
        <Button kind="primary" onClick={onAgain}>
          Try again
        </Button>
        {signOut && (
          <>
            <Button onClick={onSwitch}>Choose another organization</Button>
            <Button kind="quiet" onClick={() => void signOut()}>
              Sign out
            </Button>
          </>
        )}
      </div>
    </Door>
  );
}
