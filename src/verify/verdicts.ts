import type { Repetitions } from "./acknowledged-ids.ts";
import type { Checker } from "./checker.ts";
import type { Findings } from "./findings.ts";
import type { TimeBounds } from "./id-times.ts";
import type { Check, CheckName } from "./report.ts";
import { figure } from "./text-table.ts";

/** Every check with its verdict, in the order of CheckName. `layoutSource`: why an ID's bits can or can't be read. */
export function verdicts(
  checker: Checker,
  repetitions: Repetitions,
  layoutSource: string,
): readonly Check[] {
  const { ids, rules } = checker;
  const { fields, times } = rules;
  const isEmpty = ids.count === 0;
  const unread = `the layout is not known (${layoutSource})`;
  const checkOf = (
    name: CheckName,
    findings: Findings,
    isChecked: boolean,
    about: string,
  ): Check => {
    const { count: broken, examples } = findings;
    const verdict = broken > 0 ? "broken" : isChecked && !isEmpty ? "held" : "not_checked";
    return { name, verdict, broken, about: isEmpty ? "there are no IDs" : about, examples };
  };
  return [
    history(isEmpty),
    duplicates(checker, repetitions),
    checkOf("form", checker.form, true, "answers are well-formed, IDs canonical decimals"),
    checkOf("counts", checker.counts, true, "answers have as many IDs as were asked for"),
    checkOf("key_order", checker.keyOrder, checker.hasKeyOrder, keyOrderAbout(checker)),
    checkOf("shard_order", checker.shardOrder, checker.hasShardOrder, shardOrderAbout(checker)),
    checkOf(
      "times",
      checker.times,
      fields !== undefined && times !== undefined,
      times ? timesAbout(times) : unread,
    ),
    checkOf(
      "shards",
      checker.shardNames,
      checker.hasShardNames,
      checker.hasShardNames
        ? "header, ID and request name the same shard"
        : `no answer named its shard, or ${unread}`,
    ),
  ];
}

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
    about: ids.count > 0 ? "no ID came twice" : "there are no IDs",
    examples: examples.map(({ id, answers }) => {
      const places = answers.map((answer) => checker.placeOf(ids.answer(answer)));
      return `${id} ${places.join(" and ")}`;
    }),
  };
}

function keyOrderAbout({ hasKeyOrder }: Checker): string {
  return hasKeyOrder ? "IDs for one key strictly increase" : "no ID of a key came";
}

function shardOrderAbout({ hasShardOrder }: Checker): string {
  return hasShardOrder
    ? "IDs of a shard strictly increase"
    : "needs --order strict, and answers that name their shard";
}

function timesAbout({ behindMaxMs, aheadMaxMs }: TimeBounds): string {
  return `IDs are at most ${figure(behindMaxMs)} ms older, ${figure(aheadMaxMs)} ms ahead of their request`;
}
