import type { Repetitions } from "./acknowledged-ids.ts";
import { type Checker, seconds } from "./checker.ts";
import type { OrderCheck } from "./order-check.ts";
import type { Check, CheckName } from "./report.ts";
import { figure } from "./text-table.ts";

/** Every check with its verdict, in the order of CheckName. `layoutSource`: why an ID's bits can or can't be read. */
export function verdicts(
  checker: Checker,
  repetitions: Repetitions,
  layoutSource: string,
): readonly Check[] {
  const { ids, form, counts, keyOrder, shardOrder, shardNames, shardsCompared } = checker;
  const isEmpty = ids.count === 0;
  const checkOf = (name: CheckName, found: Found, isChecked: boolean, about: string): Check => {
    const { count: broken, examples } = found;
    const verdict = broken > 0 ? "broken" : isChecked && !isEmpty ? "held" : "not_checked";
    const said = isEmpty && broken === 0 ? NO_IDS : about;
    return { name, verdict, broken, about: said, examples };
  };
  return [
    history(isEmpty),
    duplicates(checker, repetitions),
    checkOf("form", form, true, "answers are well-formed, IDs canonical decimals"),
    checkOf("counts", counts, true, "answers have as many IDs as were asked for"),
    checkOf("key_order", keyOrder.findings, keyOrder.compared > 0, keyOrderAbout(keyOrder)),
    checkOf("shard_order", shardOrder.findings, shardOrder.compared > 0, shardOrderAbout(checker)),
    checkOf("times", timesFound(checker), isTimed(checker), timesAbout(checker, layoutSource)),
    checkOf("shards", shardNames, shardsCompared > 0, shardsAbout(checker, layoutSource)),
  ];
}

/** What was found against a check. */
type Found = Pick<Check, "examples"> & { readonly count: number };

const NO_IDS = "there are no IDs";

function history(isEmpty: boolean): Check {
  return {
    name: "history",
    verdict: isEmpty ? "broken" : "held",
    broken: isEmpty ? 1 : 0,
    about: isEmpty ? "no ID was acknowledged, so nothing was proved" : "IDs were acknowledged",
    examples: [],
  };
}

function duplicates(checker: Checker, { count, examples }: Repetitions): Check {
  const { ids } = checker;
  return {
    name: "duplicates",
    verdict: count > 0 ? "broken" : ids.count > 0 ? "held" : "not_checked",
    broken: count,
    about: ids.count > 0 ? "no ID came twice" : NO_IDS,
    examples: examples.map(({ id, answers }) => {
      const places = answers.map((answer) => checker.placeOf(ids.answer(answer)));
      return `${id} ${places.join(" and ")}`;
    }),
  };
}

function keyOrderAbout({ seen, compared, findings }: OrderCheck): string {
  if (seen === 0) return "no ID of a key came";
  if (compared === 0 && findings.count === 0) return NONE_BEFORE;
  return `IDs for one key strictly increase${heldAgainst(compared)}`;
}

function shardOrderAbout({ shardOrder: { seen, compared, findings } }: Checker): string {
  if (seen === 0) return "needs --order strict, and answers that name their shard";
  if (compared === 0 && findings.count === 0) return NONE_BEFORE;
  return `IDs of a shard strictly increase${heldAgainst(compared)}`;
}

const NONE_BEFORE = "no ID was asked for after another had come";

function heldAgainst(compared: number): string {
  return ` (${figure(compared)} compared)`;
}

function isTimed({ times }: Checker): boolean {
  return times.bounds !== undefined && !times.hasStepped;
}

function timesFound({ times, ids }: Checker): Found {
  const { count, first } = times.off();
  const examples = first.map(({ index, offsetMs }) => {
    const said = offsetMs < 0 ? `${-offsetMs} ms before` : `${offsetMs} ms after`;
    const { atMs } = ids.answer(ids.answerOf(index));
    return `${ids.idAt(index)} at ${seconds(atMs)}: its time is ${said} its request's`;
  });
  return { count, examples };
}

function timesAbout({ times }: Checker, layoutSource: string): string {
  const { bounds } = times;
  if (!bounds) return unread(layoutSource);
  if (times.hasStepped) return "this machine's clock stepped";
  const { behindMaxMs, aheadMaxMs } = bounds;
  return `IDs are at most ${figure(behindMaxMs)} ms older, ${figure(aheadMaxMs)} ms ahead of their request`;
}

function shardsAbout(
  { shardNames, shardsCompared, rules: { fields } }: Checker,
  layoutSource: string,
): string {
  if (shardsCompared > 0 || shardNames.count > 0) {
    return `header, ID and request name the same shard (${figure(shardsCompared)} compared)`;
  }
  return `no answer named its shard${fields ? "" : `, or ${unread(layoutSource)}`}`;
}

function unread(layoutSource: string): string {
  return `the layout is not known (${layoutSource})`;
}
