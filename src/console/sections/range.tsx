/** The section Range: the first and last ID of a range of time, for queries. */
import { parseInstant } from "../../core/instant.ts";
import { type Layout, tickAt } from "../../core/layout/layout.ts";
import { rangeOf } from "../../core/layout/range.ts";
import { Copy } from "../parts/copy.tsx";
import { TextField } from "../parts/field.tsx";
import { NAMESPACE_PROBLEM_ID, NamespaceField, useNamespace } from "../parts/namespace-field.tsx";
import { useParts } from "../parts/parts.ts";
import { Problem } from "../parts/problem.tsx";
import { addressOf, type Route, replaceAddress } from "../route.ts";

const PROBLEM_ID = "time-problem";
const DAY_MS = 86_400_000;
const TIME_TAKES =
  "A time must be unix ms, or such as 2026-01-31, 2026-01-31T12:00Z or 2026-01-31T12:00+01:00 (default: UTC).";

/** The element with the problem of a time; undefined if it is valid. */
function problemOf(text: string): string | undefined {
  return instantIn(text) === undefined ? PROBLEM_ID : undefined;
}

export function Range({ route }: { route: Route }) {
  const [given = "default"] = route.parts;
  const today = new Date().toISOString().slice(0, 10);
  const tomorrow = new Date(Date.now() + DAY_MS).toISOString().slice(0, 10);
  const form = useParts({
    name: given,
    from: route.query.from ?? today,
    until: route.query.until ?? tomorrow,
  });
  const input = form.shown;
  const { found, error } = useNamespace(input.name);
  const show = (part: Partial<typeof input>): void => {
    const { name, from, until } = form.change(part);
    replaceAddress(addressOf("range", [name], { from, until }));
  };
  return (
    <>
      <form class="row" onSubmit={(event: Event) => event.preventDefault()}>
        <NamespaceField
          value={input.name}
          isWrong={error !== undefined}
          onValue={(name) => show({ name })}
        />
        <TextField
          label="From"
          value={input.from}
          problem={problemOf(input.from)}
          onValue={(from) => show({ from })}
        />
        <TextField
          label="Until (not included)"
          value={input.until}
          problem={problemOf(input.until)}
          onValue={(until) => show({ until })}
        />
      </form>
      <Problem id={NAMESPACE_PROBLEM_ID} error={error} scope="read" />
      {found && !found.layout && <p>IDs of a segment have no time.</p>}
      {found?.layout && <Found layout={found.layout} from={input.from} until={input.until} />}
    </>
  );
}

function Found({ layout, from, until }: { layout: Layout; from: string; until: string }) {
  const [fromMs, untilMs] = [instantIn(from), instantIn(until)];
  if (fromMs === undefined || untilMs === undefined) {
    return <Problem id={PROBLEM_ID} error={TIME_TAKES} />;
  }
  const range = rangeOf(layout, fromMs, untilMs);
  if (!range) return <Problem error={whyEmpty(layout, fromMs, untilMs)} />;
  const sql = `WHERE id BETWEEN ${range.first} AND ${range.last}`;
  return (
    <>
      <table>
        <caption>First and last ID</caption>
        <tbody>
          {(["first", "last"] as const).map((which) => (
            <tr key={which}>
              <th scope="row">{which}</th>
              <td>
                <code>{`${range[which]}`}</code>
              </td>
              <td>
                <Copy text={`${range[which]}`} what={`the ${which} ID`} />
              </td>
            </tr>
          ))}
          <tr>
            <th scope="row">SQL</th>
            <td>
              <code>{sql}</code>
            </td>
            <td>
              <Copy text={sql} what="the SQL condition" />
            </td>
          </tr>
        </tbody>
      </table>
      <p>IDs may lead the clock, so this is not the same as “issued between”.</p>
    </>
  );
}

/** The time in a text; spaces around it are ignored. */
function instantIn(text: string): number | undefined {
  return parseInstant(text.trim());
}

function whyEmpty(layout: Layout, fromMs: number, untilMs: number): string {
  if (untilMs <= fromMs) return "“Until” must be after “from”.";
  if (untilMs <= layout.epochMs)
    return "This range is before this layout’s epoch, so it has no IDs.";
  if (tickAt(layout, fromMs) >= layout.tickCount)
    return "This range is after this layout’s last timestamp, so it has no IDs.";
  return `No tick of this layout begins in this range: a tick lasts ${layout.tickMs} ms.`;
}
