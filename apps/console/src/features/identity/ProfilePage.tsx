import { useQuery, useQueryClient } from "@tanstack/react-query";
import { UserRound } from "lucide-react";
import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { EmptyState } from "@mainstay/ui/EmptyState.tsx";
import { ErrorDisplay } from "@mainstay/ui/ErrorDisplay.tsx";
import { SkeletonRows } from "@mainstay/ui/Skeletons.tsx";
import { AppLink } from "#lib/AppLink.tsx";
import { PageBar } from "#lib/PageBar.tsx";
import { hosted } from "#lib/hosted.ts";
import { paths } from "#lib/paths.ts";
import { sessionKey, useAccess, useSession } from "#lib/use-access.ts";
import { FlowMessages } from "./flows/FlowField.tsx";
import { FlowForm, loadFlowText, shownGroups } from "./flows/FlowForm.tsx";
import { settingsFlow, verificationOf } from "./flows/flow-kinds.ts";
import { sessionQueries } from "./queries.ts";
import { SessionList } from "./SessionList.tsx";
import { Unauthorized } from "./Unauthorized.tsx";
import { useFlow } from "./flows/use-flow.ts";

interface Words {
  title: string;
  about?: string;
}

/** Groups of a settings flow in words; a group that is not here is shown under its own name. */
const words: Record<string, Words> = {
  profile: { title: "Profile" },
  password: { title: "Password" },
  code: { title: "Codes by e-mail" },
  totp: {
    title: "Authenticator app",
    about: "A second step at sign-in: a code from an app on your phone.",
  },
  webauthn: {
    title: "Security keys",
    about: "A second step at sign-in: a key that you plug in or hold near.",
  },
  passkey: {
    title: "Passkeys",
    about: "Sign in without a password, with this device or your phone.",
  },
  lookup_secret: {
    title: "Backup codes",
    about: "Codes to keep on paper, for when the app or key is not at hand. Each works once.",
  },
  oidc: { title: "Linked accounts", about: "Sign in with an account that you have elsewhere." },
};

function Section({ title, about, children }: Words & { children: ReactNode }) {
  const id = useId();
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3 rounded-card border bg-raised p-5">
      <header className="flex flex-col gap-0.5">
        <h2 id={id} className="m-0 text-md font-semibold">
          {title}
        </h2>
        {about !== undefined && <p className="m-0 text-xs text-muted">{about}</p>}
      </header>
      {children}
    </section>
  );
}

/** One's own account: what the settings flow offers (K14–K16), and where one is signed in. */
export function ProfilePage() {
  const { person } = useSession();
  if (hosted()) return <KeptElsewhere />;
  return person === null ? <Unauthorized /> : <Profile />;
}

function KeptElsewhere() {
  return (
    <>
      <PageBar crumbs={[{ label: "Your profile" }]} />
      <EmptyState
        icon={<UserRound size={20} strokeWidth={1.75} />}
        title="Your profile is kept by your sign-in provider"
      >
        Name, address, password and devices are changed there. <TokensLink />
      </EmptyState>
    </>
  );
}

/** Also for who has no settings in the sidebar. */
function TokensLink() {
  return useAccess().isOn("settings.tokens") ? (
    <AppLink
      to={paths.tokens()}
      className="self-start text-sm text-accent underline underline-offset-2"
    >
      Your access tokens
    </AppLink>
  ) : null;
}

function Profile() {
  const client = useQueryClient();
  const hasTokens = useAccess().isOn("settings.tokens");
  // What the service says about the whole form stands where it was sent from.
  const [sentGroup, setSentGroup] = useState<string | null>(null);
  const state = useFlow(settingsFlow, {
    // The name and address may be other ones now.
    onAccepted: () => void client.invalidateQueries({ queryKey: sessionKey }),
  });
  const { flow, failure } = state;
  // All at once: what stands below would be pushed away by what comes later.
  const [hasTexts, setHasTexts] = useState(false);
  useEffect(() => {
    const go = () => setHasTexts(true);
    // Each part says for itself that it could not be loaded.
    loadFlowText().then(go, go);
  }, []);
  const sessions = useQuery(sessionQueries.list);
  const isKnown = hasTexts && !sessions.isPending && (flow !== null || failure !== null);
  const groups = flow ? shownGroups(flow.ui.nodes) : [];
  const verification = verificationOf(flow);
  const said = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // What was pressed may be a long way below what is said about it.
    if (flow && (flow.ui.messages?.length ?? 0) > 0)
      said.current?.scrollIntoView({ block: "nearest" });
  }, [flow]);
  const messages = (
    <div ref={said} className="flex scroll-my-6 flex-col gap-1 empty:hidden">
      <FlowMessages id="flow-messages" messages={flow?.ui.messages ?? []} />
      {verification !== undefined && (
        <p role="status" className="m-0 text-xs">
          Your new address awaits verification.{" "}
          <a
            href={paths.verification({ flow: verification, return_to: paths.profile() })}
            className="text-accent underline underline-offset-2"
          >
            Verify it
          </a>
        </p>
      )}
    </div>
  );
  const isSentHere = sentGroup !== null && groups.includes(sentGroup);
  return (
    <>
      <PageBar crumbs={[{ label: "Your profile" }]} />
      <div
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- it scrolls, so the keyboard must reach it
        tabIndex={0}
        className="min-h-0 flex-1 overflow-auto outline-offset-[-2px]"
      >
        <div className="mx-auto flex max-w-xl flex-col gap-4 px-4 py-6">
          {!isSentHere && messages}
          {failure !== null ? (
            <ErrorDisplay
              title="Your profile could not be opened"
              message={failure}
              onRetry={state.restart}
            />
          ) : flow === null || !isKnown ? (
            <SkeletonRows rows={6} />
          ) : (
            groups.map((group) => (
              <Section key={group} {...(words[group] ?? { title: group })}>
                {isSentHere && group === sentGroup && messages}
                <FlowForm
                  name="settings"
                  groups={["default", group]}
                  focuses={false}
                  state={{
                    ...state,
                    submit: (values) => {
                      setSentGroup(group);
                      state.submit(values);
                    },
                  }}
                />
              </Section>
            ))
          )}
          {isKnown && (
            <Section title="Where you are signed in">
              <SessionList />
            </Section>
          )}
          {isKnown && hasTokens && (
            <Section
              title="Access tokens"
              about="With an access token a program or the command line signs in without a password."
            >
              <TokensLink />
            </Section>
          )}
        </div>
      </div>
    </>
  );
}
