import { useState } from "preact/hooks";
import type { SnowflakeInput } from "../../core/namespace/namespace.ts";
import { ApiError, ask } from "../api.ts";
import { addressOf } from "../route.ts";
import { savedKey } from "../session.ts";
import { useAction } from "./action.ts";
import { Code } from "./code.tsx";
import { Copy } from "./copy.tsx";
import { TextField } from "./field.tsx";
import { nameProblem } from "./namespace-field.tsx";
import { useParts } from "./parts.ts";
import { isWrong, Problem, WrongField } from "./problem.tsx";

/** The request body that creates a namespace, and a button that sends it. */
export function CreateNamespace({ body }: { body: SnowflakeInput }) {
  const form = useParts({ name: "" });
  const { name } = form.shown;
  const [done, setDone] = useState("");
  const { isBusy, error, act } = useAction();
  const text = JSON.stringify(body, null, 2);
  const create = (event: Event): void => {
    event.preventDefault();
    act(async () => {
      setDone("");
      const given = form.latest().name;
      const problem = nameProblem(given);
      if (problem !== undefined) throw new WrongField("Name", problem);
      // A PUT with the same layout would succeed, and reset the policy.
      if (await isTaken(given)) {
        throw new WrongField("Name", `The namespace ${given} exists already.`);
      }
      await ask(`/v1/namespaces/${given}`, {
        method: "PUT",
        body,
        isAnswer: (answer) => answer.name === given,
      });
      setDone(given);
    });
  };
  return (
    <>
      <h2>The namespace</h2>
      <p>
        The body of <code>PUT /v1/namespaces/{name || "…"}</code>{" "}
        <Copy text={text} what="the body" />
      </p>
      <Code label="The body" text={text} />
      <p>A namespace’s layout never changes, and a retired name can’t be used again.</p>
      <p>
        The new namespace gets the policy of <code>default</code> (waits up to 250 ms, borrows up to
        1 s, tolerates a clock up to 1 h back), whichever layout you began with. For another one,
        add a <code>policy</code> to the body.
      </p>
      <form class="row" onSubmit={create}>
        <TextField
          label="Name"
          value={name}
          problem={isWrong(error, "Name") ? "name-problem" : undefined}
          onValue={(next) => form.change({ name: next.trim() })}
          placeholder="orders"
        />
        <button type="submit" aria-busy={isBusy ? "true" : "false"}>
          Create it
        </button>
      </form>
      <Problem
        id="name-problem"
        error={error}
        scope="admin"
        doubt="It may have been created. It is safe to try again."
      />
      <p role="status">
        {done !== "" && (
          <>
            The namespace {done} is created.{" "}
            <a href={addressOf("request", [done])}>Request an ID</a>
          </>
        )}
      </p>
      {savedKey() === "" && error === undefined && done === "" && (
        <p>If the service requires keys, this needs one with the scope admin.</p>
      )}
    </>
  );
}

/** Whether a custom namespace has that name. The service itself rejects built-in and retired names. */
async function isTaken(name: string): Promise<boolean> {
  try {
    const { builtIn, retired } = await ask(`/v1/namespaces/${name}`, {
      isAnswer: (answer) => answer.name === name,
    });
    return builtIn !== true && retired !== true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false;
    throw error;
  }
}
