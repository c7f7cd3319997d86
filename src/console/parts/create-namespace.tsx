import { useState } from "hono/jsx/dom";
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

/** The body that makes a namespace, and the button that sends it. */
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
      // A PUT would not refuse the same layout, but put its policy back.
      if (await isTaken(given)) {
        throw new WrongField("Name", `There is a namespace ${given} already.`);
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
      <p>A layout never changes once its namespace is there; a retired name is never used again.</p>
      <p>
        It has the policy of <code>default</code> (waits 250 ms at most, leads by up to 1 s, rides
        out a clock up to 1 h back), whatever the layout began with; a <code>policy</code> in the
        body says otherwise.
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
        doubt="It may be there nonetheless: to try once more does no harm, and says so."
      />
      <p role="status">
        {done !== "" && (
          <>
            The namespace {done} is there. <a href={addressOf("get", [done])}>Get an ID</a>
          </>
        )}
      </p>
      {savedKey() === "" && error === undefined && done === "" && (
        <p>Where the service asks for keys, this takes one with the scope admin.</p>
      )}
    </>
  );
}

/** Whether there is one of one's own by that name; of other names the service says more. */
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
