import { useState } from "hono/jsx/dom";
import { ask } from "../api.ts";
import { useAction } from "./action.ts";
import { TextField } from "./field.tsx";
import { Problem } from "./problem.tsx";

/** The header that says whose lease it is. */
const LEASE_TOKEN = "edgeflake-lease-token";
/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Gives a lease back with its token, as its holder would. `path`: of the namespace's leases. */
export function ReleaseForm(props: { path: string; onReleased: (words: string) => void }) {
  const { path, onReleased } = props;
  const [worker, setWorker] = useState("");
  const [token, setToken] = useState("");
  const [asks, setAsks] = useState(false);
  const { error, act } = useAction();
  const submit = (event: Event): void => {
    event.preventDefault();
    act(async () => {
      setAsks(false);
      if (!/^\d+$/.test(worker)) throw new Error("Worker ID takes a whole number.");
      if (!TOKEN.test(token)) throw new Error("Token takes what the lease was given with.");
      if (!asks) return setAsks(true);
      await ask(`${path}/${worker}`, { method: "DELETE", headers: { [LEASE_TOKEN]: token } });
      setToken("");
      onReleased(`The lease of worker ID ${worker} is released.`);
    });
  };
  const edit = (set: (text: string) => void) => (text: string) => {
    setAsks(false);
    set(text.trim());
  };
  return (
    <>
      <h2>Release one</h2>
      <p>For a holder that ended without giving its worker ID back, and whose token is known.</p>
      <form class="row" onSubmit={submit}>
        <TextField label="Worker ID" value={worker} onValue={edit(setWorker)} />
        <TextField label="Token" value={token} onValue={edit(setToken)} />
        <button type="submit" class={asks ? "bad" : ""}>
          {asks ? `Yes, release worker ID ${worker}` : "Release"}
        </button>
        {asks && (
          <button type="button" onClick={() => setAsks(false)}>
            No
          </button>
        )}
      </form>
      <Problem error={error} scope="lease" />
    </>
  );
}
