import { type RefObject, useLayoutEffect, useRef } from "hono/jsx/dom";
import { LEASE_TOKEN_HEADER } from "../../core/lease/worker-lease.ts";
import { ask, isNothing } from "../api.ts";
import { useAction } from "./action.ts";
import { TextField } from "./field.tsx";
import { useParts } from "./parts.ts";
import { isWrong, Problem, WrongField } from "./problem.tsx";

/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;

const PROBLEM_ID = "release-problem";

/** Gives a lease back with its token, as its holder would. `path`: of the namespace's leases. */
export function ReleaseForm(props: { path: string; onReleased: (words: string) => void }) {
  const { path, onReleased } = props;
  const form = useParts({ worker: "", token: "", asks: false });
  const { worker, token, asks } = form.shown;
  const { error, act } = useAction();
  const no = useRef<HTMLButtonElement>(null);
  const release = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (asks) no.current?.focus();
  }, [asks]);
  const askFirst = (event: Event): void => {
    event.preventDefault();
    act(async () => {
      form.change({ asks: false });
      const given = form.latest();
      if (!/^\d+$/.test(given.worker)) {
        throw new WrongField("Worker ID", "Worker ID takes a whole number.");
      }
      if (!TOKEN.test(given.token)) {
        throw new WrongField("Token", "Token takes what the lease was given with.");
      }
      form.change({ asks: true });
      // Where it is asked already.
      no.current?.focus();
    });
  };
  const close = (): void => {
    // The button that has the focus goes with the question.
    release.current?.focus();
    form.change({ asks: false });
  };
  const giveBack = (): void => {
    close();
    act(async () => {
      const given = form.latest();
      const headers = { [LEASE_TOKEN_HEADER]: given.token };
      await ask(`${path}/${given.worker}`, {
        method: "DELETE",
        headers,
        isAnswer: isNothing,
      });
      form.change({ token: "" });
      onReleased(`The lease of worker ID ${given.worker} is released.`);
    });
  };
  return (
    <>
      <h2>Release one</h2>
      <p>For a holder that ended without giving its worker ID back, and whose token is known.</p>
      <form class="row" onSubmit={askFirst}>
        <TextField
          label="Worker ID"
          value={worker}
          problem={isWrong(error, "Worker ID") ? PROBLEM_ID : undefined}
          onValue={(text) => form.change({ worker: text.trim(), asks: false })}
        />
        <TextField
          label="Token"
          value={token}
          problem={isWrong(error, "Token") ? PROBLEM_ID : undefined}
          onValue={(text) => form.change({ token: text.trim(), asks: false })}
        />
        <button type="submit" ref={release}>
          Release
        </button>
      </form>
      {asks && (
        // Not where the button was that asks: pressed twice, it would answer.
        <Question worker={worker} noRef={no} onNo={close} onYes={giveBack} />
      )}
      <Problem
        id={PROBLEM_ID}
        error={error}
        scope="lease"
        doubt="It may be released nonetheless: the list says so. To release it once more does no harm."
      />
    </>
  );
}

function Question(props: {
  worker: string;
  noRef: RefObject<HTMLButtonElement | null>;
  onNo: () => void;
  onYes: () => void;
}) {
  const { worker, noRef, onNo, onYes } = props;
  const question = `Release worker ID ${worker}? Its holder can’t renew it any more.`;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for fields
    <p
      role="group"
      aria-label={question}
      onKeyDown={(event: KeyboardEvent) => event.key === "Escape" && onNo()}
    >
      {question}{" "}
      <button type="button" class="small" ref={noRef} onClick={onNo}>
        No
      </button>{" "}
      <button type="button" class="small bad" onClick={onYes}>
        Yes, release worker ID {worker}
      </button>
    </p>
  );
}
