import { useState } from "preact/hooks";
import { ApiError, ask } from "../api.ts";
import { addressOf } from "../route.ts";
import { type Action, useAction } from "./action.ts";
import { nameProblem } from "./namespace-field.tsx";
import { isWrong, Problem, WrongField } from "./problem.tsx";
import { RequestBody } from "./request-body.tsx";

/** The creation of a namespace. */
export interface Creation extends Omit<Action, "act"> {
  readonly create: (event: Event) => void;
  /** Why the service would reject the name; undefined if nothing is known. */
  readonly nameProblem: string | undefined;
  /** The created namespace; empty before that. */
  readonly done: string;
}

/** Creates what `latest` describes at that time. `onWrongName`: the name is to be corrected. */
export function useCreation(
  latest: () => { readonly name: string; readonly body: object | undefined },
  onWrongName: () => void,
): Creation {
  const [tried, setTried] = useState("");
  const [done, setDone] = useState("");
  const { isBusy, error, act } = useAction();
  const create = (event: Event): void => {
    event.preventDefault();
    act(async () => {
      const { name, body } = latest();
      setDone("");
      setTried(name);
      const problem = nameProblem(name) ?? (await whyTaken(name));
      if (problem !== undefined) {
        onWrongName();
        throw new WrongField(NAME, problem);
      }
      if (!body) return;
      await ask(`/v1/namespaces/${name}`, {
        method: "PUT",
        body,
        isAnswer: (answer) => answer.name === name,
      });
      setDone(name);
    });
  };
  // With another name, the problem of the name before says nothing.
  const isOfName = error instanceof WrongField && tried === latest().name;
  return { isBusy, error, create, done, nameProblem: isOfName ? error.message : undefined };
}

const NAME = "Name";

/** Why a name is not available; undefined if it is. A PUT to another namespace of that name could reset its policy. */
async function whyTaken(name: string): Promise<string | undefined> {
  try {
    const { builtIn, retired } = await ask(`/v1/namespaces/${name}`, {
      isAnswer: (answer) => answer.name === name,
    });
    if (builtIn === true) return `Built-in namespaces can’t be changed: ${name} is one of them.`;
    if (retired === true) return `${name} is retired, and its name is never available again.`;
    return `The namespace ${name} exists already.`;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

/** The request that creates a namespace, and the button that sends it. `body`: undefined while a field is invalid. */
export function CreateNamespace(props: {
  name: string;
  body: object | undefined;
  creation: Creation;
}) {
  const { name, body, creation } = props;
  const { isBusy, error, create, done } = creation;
  return (
    <>
      <h2>The request</h2>
      {body ? (
        <form onSubmit={create}>
          <RequestBody request={`PUT /v1/namespaces/${name || "…"}`} body={body} />
          <button type="submit" aria-busy={isBusy ? "true" : "false"}>
            Create it
          </button>
        </form>
      ) : (
        <p>A field above is invalid. Correct it to create the namespace.</p>
      )}
      {!isWrong(error, NAME) && (
        <Problem
          error={error}
          scope="admin"
          doubt="It may have been created. If so, the next try says that it exists already."
        />
      )}
      <p role="status">
        {done !== "" && (
          <>
            The namespace {done} is created.{" "}
            <a href={addressOf("request", [done])}>Request an ID</a>, or{" "}
            <a href={addressOf("namespaces", [done])}>see the namespace</a>.
          </>
        )}
      </p>
    </>
  );
}
