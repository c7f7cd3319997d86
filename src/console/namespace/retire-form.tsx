import { ask, isNothing } from "../api.ts";
import { useAction } from "../parts/action.ts";
import { TextField } from "../parts/field.tsx";
import { useParts } from "../parts/parts.ts";
import { isWrong, Problem, WrongField } from "../parts/problem.tsx";

const PROBLEM_ID = "retire-problem";
const LABEL = "Name, to confirm";

/** A form that retires a namespace, once its name is typed in full. */
export function RetireForm(props: { name: string; onRetired: () => void }) {
  const { name, onRetired } = props;
  const form = useParts({ typed: "" });
  const { isBusy, error, act } = useAction();
  const retire = (event: Event): void => {
    event.preventDefault();
    act(async () => {
      if (form.latest().typed !== name) {
        throw new WrongField(LABEL, `To retire this namespace, type its name: ${name}`);
      }
      await ask(`/v1/namespaces/${name}`, { method: "DELETE", isAnswer: isNothing });
      onRetired();
    });
  };
  return (
    <>
      <h2>Retire</h2>
      <p>
        Retiring is permanent. The namespace issues no more IDs, within 30 s everywhere, and its
        name is never available again. Decode and range still work.
      </p>
      <form class="row" onSubmit={retire}>
        <TextField
          label={LABEL}
          value={form.shown.typed}
          placeholder={name}
          problem={isWrong(error, LABEL) ? PROBLEM_ID : undefined}
          onValue={(text) => form.change({ typed: text.trim() })}
        />
        <button type="submit" class="bad" aria-busy={isBusy ? "true" : "false"}>
          Retire {name}
        </button>
      </form>
      <Problem
        id={PROBLEM_ID}
        error={error}
        scope="admin"
        doubt="It may have been retired: reload the page to see. It is safe to try again."
      />
    </>
  );
}
