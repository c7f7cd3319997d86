import { ask } from "../api.ts";
import { useAction } from "./action.ts";
import { TextField } from "./field.tsx";
import { useParts } from "./parts.ts";
import { Problem } from "./problem.tsx";

/** The header that says whose lease it is. */
const LEASE_TOKEN = "edgeflake-lease-token";
/** What a header can carry. */
const TOKEN = /^[\x21-\x7e]+$/;

/** Gives a lease back with its token, as its holder would. `path`: of the namespace's leases. */
export function ReleaseForm(props: { path: string; onReleased: (words: string) => void }) {
  const { path, onReleased } = props;
  const form = useParts({ worker: "", token: "", asks: false });
  const { worker, token, asks } = form.shown;
  const { error, act } = useAction();
  const submit = (event: Event): void => {
    event.preventDefault();
    act(async () => {
      const given = form.latest();
      form.change({ asks: false });
      if (!/^\d+$/.test(given.worker)) throw new Error("Worker ID takes a whole number.");
      if (!TOKEN.test(given.token)) throw new Error("Token takes what the lease was given with.");
      if (!given.asks) {
        form.change({ asks: true });
        return;
      }
      const headers = { [LEASE_TOKEN]: given.token };
      await ask(`${path}/${given.worker}`, { method: "DELETE", headers });
      form.change({ token: "" });
      onReleased(`The lease of worker ID ${given.worker} is released.`);
    });
  };
  return (
    <>
      <h2>Release one</h2>
      <p>For a holder that ended without giving its worker ID back, and whose token is known.</p>
      <form class="row" onSubmit={submit}>
        <TextField
          label="Worker ID"
          value={worker}
          onValue={(text) => form.change({ worker: text.trim(), asks: false })}
        />
        <TextField
          label="Token"
          value={token}
          onValue={(text) => form.change({ token: text.trim(), asks: false })}
        />
        <button type="submit" class={asks ? "bad" : ""}>
          {asks ? `Yes, release worker ID ${worker}` : "Release"}
        </button>
        {asks && (
          <button type="button" onClick={() => form.change({ asks: false })}>
            No
          </button>
        )}
      </form>
      <Problem error={error} scope="lease" />
    </>
  );
}
