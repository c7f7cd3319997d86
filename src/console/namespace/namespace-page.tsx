/** One namespace: its layout, its policy, its state, and its changes. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { NAMESPACE_NAME } from "../../core/namespace/namespace.ts";
import type { Json } from "../api.ts";
import { nameProblem } from "../parts/namespace-field.tsx";
import { PollFailure } from "../parts/poll-failure.tsx";
import { Problem } from "../parts/problem.tsx";
import { StatusLine } from "../parts/status-line.tsx";
import { ONCE, usePolled } from "../polled.ts";
import { addressOf } from "../route.ts";
import { SegmentStatus } from "../shards/segment-status.tsx";
import { isShardPage } from "../shards/shard-state.ts";
import { type Described, describedIn, isDescription } from "./definition.ts";
import { EditForm } from "./edit-form.tsx";
import { NamespaceFacts } from "./namespace-facts.tsx";
import { RetireForm } from "./retire-form.tsx";

const STATUS_EVERY_MS = 2000;

export function NamespacePage({ name }: { name: string }) {
  const isName = NAMESPACE_NAME.test(name);
  const polled = usePolled(isName ? `/v1/namespaces/${name}` : "", ONCE, {
    isAnswer: isDescription,
  });
  const { answer } = polled;
  // Another isolate may still answer as of before the change.
  const [changed, setChanged] = useState<{ before: Json | undefined; after: Json } | undefined>();
  const current = changed && changed.before === answer ? changed.after : answer;
  const described = current && describedIn(current);
  return (
    <>
      <p>
        <a href={addressOf("namespaces")}>All namespaces</a>
      </p>
      <Problem error={nameProblem(name)} />
      <PollFailure polled={polled} scope="read" />
      {described && (
        <OneNamespace
          described={described}
          onChanged={(part) => setChanged({ before: answer, after: { ...current, ...part } })}
        />
      )}
    </>
  );
}

/** `onChanged`: gets the changed parts of the service's description. */
function OneNamespace(props: { described: Described; onChanged: (part: Json) => void }) {
  const { described, onChanged } = props;
  const { name, isBuiltIn, isRetired } = described;
  const [message, setMessage] = useState("");
  const [mode, setMode] = useState<"cancelled" | "changing" | "shown">("shown");
  const changeButton = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    // The pressed button is gone.
    if (mode === "cancelled") changeButton.current?.focus();
  }, [mode]);
  const isOwn = !isBuiltIn && !isRetired;
  return (
    <>
      <Title described={described} />
      <StatusLine words={message} />
      {described.definition.kind === "segment" && !isRetired && <Use name={name} />}
      <NamespaceFacts described={described} hasPolicy={mode !== "changing"} />
      {isBuiltIn && <BuiltIn described={described} />}
      {isOwn && mode !== "changing" && (
        <p>
          <button
            type="button"
            ref={changeButton}
            onClick={() => {
              setMessage("");
              setMode("changing");
            }}
          >
            Change {described.layout ? "policy or shards" : "its settings"}
          </button>
        </p>
      )}
      {isOwn && mode === "changing" && (
        <EditForm
          name={name}
          stored={described.definition}
          onCancel={() => setMode("cancelled")}
          onChanged={(words, after) => {
            setMode("shown");
            setMessage(words);
            onChanged(after);
          }}
        />
      )}
      {isOwn && (
        <RetireForm
          name={name}
          onRetired={() => {
            setMode("shown");
            setMessage(`${name} is retired.`);
            onChanged({ retired: true });
          }}
        />
      )}
    </>
  );
}

function Title({ described }: { described: Described }) {
  const { name, isBuiltIn, isRetired, createdAt, definition, layout } = described;
  const links: readonly (readonly [section: string, title: string])[] = [
    ...(isRetired ? [] : [["request", "Request IDs"] as const]),
    ["decode", "Decode"],
    ...(layout ? [["range", "Range"] as const] : []),
    ["shards", "Shards"],
    ...(layout ? [["leases", "Leases"] as const] : []),
  ];
  return (
    <>
      <h2 class="name">{name}</h2>
      <p>
        {definition.kind}
        {isBuiltIn ? ", built in" : `, created ${createdAt.slice(0, 10)}`}
        {definition.kind === "segment" && definition.description !== "" && (
          <>: {definition.description}</>
        )}
      </p>
      {isRetired && (
        <p class="warning">
          Retired: it issues no more IDs. Decode and range still work. Its name is never available
          again.
        </p>
      )}
      <p class="links">
        {links.map(([section, title]) => (
          <span key={section}>
            <a href={addressOf(section, [name])}>{title}</a>{" "}
          </span>
        ))}
      </p>
    </>
  );
}

function BuiltIn({ described: { name, definition } }: { described: Described }) {
  const query = definition.kind === "segment" ? { kind: "segment" } : { preset: name };
  return (
    <p>
      A built-in namespace never changes, so that everyone can rely on it.{" "}
      <a href={addressOf("design", [], query)}>Create your own from it</a> to change its policy.
    </p>
  );
}

/** The current use of a segment. */
function Use({ name }: { name: string }) {
  const polled = usePolled(`/v1/shards/${name}`, STATUS_EVERY_MS, { isAnswer: isShardPage });
  return (
    <>
      <PollFailure polled={polled} scope="read" />
      {polled.answer && <SegmentStatus answer={polled.answer} atMs={polled.atMs} />}
    </>
  );
}
