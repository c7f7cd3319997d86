/** The checker of IDs finds every fault. */
import { describe, expect, it } from "vitest";
import { History, runsOf } from "./history.ts";

function faultsOf(step: number, ...answers: readonly bigint[][]): string[] {
  const history = new History();
  for (const [index, ids] of answers.entries()) {
    history.add("space", step, runsOf(ids, step), `answer ${index}`);
  }
  return history.faults();
}

describe("the history of acknowledged IDs", () => {
  it("accepts batches that are adjacent, apart or out of order", () => {
    expect(faultsOf(1, [5n, 6n, 7n], [1n, 2n, 9n], [8n], [3n, 4n])).toEqual([]);
    expect(faultsOf(3, [1n, 4n, 7n], [10n], [19n, 16n, 13n])).toEqual([]);
  });

  it.each([
    ["of two answers", [[5n], [6n], [5n]]],
    ["of one answer", [[5n, 9n, 5n]]],
    ["inside a batch", [[1n, 2n, 3n, 4n], [3n]]],
    ["at a batch's end", [[4n], [1n, 2n, 3n, 4n]]],
    ["behind a shorter one", [[1n, 2n, 3n, 4n, 5n], [2n], [5n]]],
    ["beyond what a number holds", [[2n ** 62n + 1n, 2n ** 62n + 2n], [2n ** 62n + 2n]]],
  ])("finds a repeated ID, %s", (_, answers) => {
    expect(faultsOf(1, ...answers).join()).toContain("came twice");
  });

  it("finds a repeated number of a segment, and a number between its steps", () => {
    expect(faultsOf(3, [1n, 4n, 7n, 10n], [7n])).toEqual([
      "space: 7 came twice, by answer 0 and by answer 1",
    ]);
    expect(faultsOf(3, [1n, 4n], [8n])).toEqual([
      "space: 8 (answer 1) is not a step of 3 from the others",
    ]);
  });

  it("keeps namespaces apart", () => {
    const history = new History();
    history.add("one", 1, [{ first: 1n, count: 10 }], "one answer");
    history.add("other", 1, [{ first: 1n, count: 10 }], "another");
    expect(history.faults()).toEqual([]);
  });
});
