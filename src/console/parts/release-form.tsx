import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { LEASE_TOKEN_HEADER } from "../../core/lease/worker-lease.ts";
import { ask, isNothing } from "../api.ts";
import { useAction } from "./action.ts";
import { TextField } from "./field.tsx";
import { useParts } from "./parts.ts";
import { isWrong, Problem, WrongField } from "./problem.tsx";

/** The syntax of a header value without spaces. */
const TOKEN = /^[\x21-\x7e]+$/;

const PROBLEM_ID = "release-problem";

/** A form that releases a lease with its token, as the holder would. `path`: of the namespace's leases. */
export function ReleaseForm(props: { path: string; onReleased: (words: string) => void }) {
  const { path, onReleased } = props;
  const form = useParts({ worker: "", token: "", isOpen: false });
  const { worker, token, isOpen } = form.shown;
  const { error, act } = useAction();
  const no = useRef<HTMLButtonElement>(null);
  const release = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (isOpen) no.current?.focus();
  }, [isOpen]);
  const askFirst = (event: Event): void => {
    event.preventDefault();
    act(async () => {
      form.change({ isOpen: false });
      const given = form.latest();
      if (!/^\d+$/.test(given.worker)) {
        throw new WrongField("Worker ID", "Worker ID must be an integer.");
      }
      if (!TOKEN.test(given.token)) {
        throw new WrongField("Token", "Token must be the token of the lease.");
      }
      form.change({ isOpen: true });
      // If the question is shown already.
      no.current?.focus();
    });
  };
  const close = (): void => {
    // The focused button goes with the question.
    release.current?.focus();
    form.change({ isOpen: false });
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
      <h2>Release a lease</h2>
      <p>For a holder that ended without releasing its worker ID, if you know its token.</p>
      <form class="row" onSubmit={askFirst}>
        <TextField
          label="Worker ID"
          value={worker}
          problem={isWrong(error, "Worker ID") ? PROBLEM_ID : undefined}
          onValue={(text) => form.change({ worker: text.trim(), isOpen: false })}
        />
        <TextField
          label="Token"
          value={token}
          problem={isWrong(error, "Token") ? PROBLEM_ID : undefined}
          onValue={(text) => form.change({ token: text.trim(), isOpen: false })}
        />
        <button type="submit" ref={release}>
          Release
        </button>
      </form>
      {isOpen && (
        // Not in place of the button: pressing that twice would answer the question.
        <Question worker={worker} noRef={no} onNo={close} onYes={giveBack} />
      )}
      <Problem
        id={PROBLEM_ID}
        error={error}
        scope="lease"
        doubt="It may have been released: check the list. It is safe to release it again."
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
  const question = `Release worker ID ${worker}? The holder won’t be able to renew it.`;
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
