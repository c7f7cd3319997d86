/** Numbers of segments over HTTP: in each form, up to their very last, and what operators see. */
import { describe, expect, it } from "vitest";
import { decode, type Encoding } from "../../../src/core/codec.ts";
import { ask, put } from "../../support/admin.ts";
import { useClock } from "../../support/clock.ts";
import { numbersOf, refusalOf, someSegment } from "../../support/numbers.ts";
import { request } from "../../support/requests.ts";
import { evict, maxIdOf, numbersFrom } from "../../support/segments.ts";

useClock("waits");

const MAX = 9_223_372_036_854_775_807n;
const SAFE = 9_007_199_254_740_991n;

/** Whether the lines of a text are these numbers, without a text or number for each. */
async function expectLines(path: string, first: bigint, count: number, step = 1): Promise<void> {
  const response = await request(path);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(response.headers.get("edgeflake-shard")).toBe("0");
  const lines = (await response.text()).split("\n");
  expect(lines.pop()).toBe("");
  expect(lines).toHaveLength(count);
  const wrong = lines.findIndex((line, index) => line !== `${first + BigInt(index * step)}`);
  expect(wrong).toBe(-1);
}

describe("numbers", () => {
  it("begin at start, and increase by one, with GET and POST, with the shard header 0", async () => {
    const name = await someSegment({ start: 7 });
    for (const [index, method] of ["GET", "POST", "GET"].entries()) {
      const { body, headers } = await ask(`/v1/ids/${name}`, { method });
      expect(body).toEqual({ ids: [`${7 + index}`] });
      expect(headers.get("edgeflake-shard")).toBe("0");
      expect(headers.get("cache-control")).toBe("no-store");
    }
    expect(await numbersOf(`/v1/ids/${name}?count=50`)).toEqual(numbersFrom(10, 50));
  });

  it("of the built-in segment exist without a PUT", async () => {
    expect(await numbersOf("/v1/ids/segment")).toEqual([1n]);
    expect(await numbersOf("/v1/ids/segment?count=10000")).toHaveLength(10_000);
  });

  it("may be 0", async () => {
    const name = await someSegment({ start: 0, delta: 2 });
    expect(await numbersOf(`/v1/ids/${name}?count=3`)).toEqual([0n, 2n, 4n]);
  });

  it("have the remainder, with any start", async () => {
    const name = await someSegment({ start: 10, delta: 8, remainder: 5 });
    const ids = [
      ...(await numbersOf(`/v1/ids/${name}?count=9`)),
      ...(await numbersOf(`/v1/ids/${name}?order=strict&count=20`)),
      ...(await numbersOf(`/v1/ids/${name}?count=30`)),
    ];
    expect(ids[0]).toBe(13n);
    expect(ids.every((id) => id % 8n === 5n)).toBe(true);
    expect(new Set(ids).size).toBe(59);
  });

  it.each<Encoding>(["hex", "base32", "base36", "base58", "base62"])(
    "are the same in %s",
    async (encoding) => {
      const name = await someSegment({ start: "9007199254740993", delta: 7 });
      const answers = [
        await ask(`/v1/ids/${name}?count=3&encoding=${encoding}`),
        await ask(`/v1/ids/${name}?encoding=${encoding}&order=strict`),
      ];
      const texts = answers.flatMap(({ body }) => body.ids as string[]);
      const ids = texts.map((text) => decode(text, encoding));
      expect(ids).toEqual([
        9007199254740995n,
        9007199254741002n,
        9007199254741009n,
        9007199254741093n,
      ]);
      for (const [index, text] of texts.entries()) {
        const { body } = await ask(`/v1/decode/${name}/${text}?encoding=${encoding}`);
        expect(body).toEqual({ id: `${ids[index]}`, kind: "segment", value: `${ids[index]}` });
      }
    },
  );

  it.each([
    [25_000, 1, 0],
    [25_000, 3, 2],
    [1_000_000, 1, 0],
  ])("stream as text: %d of them at a delta of %d", async (count, delta, remainder) => {
    const name = await someSegment({ start: 9_990, delta, remainder });
    const first = BigInt(delta === 1 ? 9_990 : 9_992);
    await expectLines(`/v1/ids/${name}?format=text&count=${count}`, first, count, delta);
    const after = await numbersOf(`/v1/ids/${name}?order=strict`);
    expect(after).toEqual([first + BigInt(count * delta)]);
  });

  it.each([
    "?shard=1",
    "?shard=0&key=a",
    "?order=random",
    "?count=0",
    "?count=10001",
    "?colour=red",
  ])("%s is rejected", async (query) => {
    const name = await someSegment();
    const parameter = query.includes("key") ? "key" : query.slice(1).split("=")[0];
    const refusal = await refusalOf(`/v1/ids/${name}${query}`);
    expect(refusal).toMatchObject({ status: 400, code: "invalid_parameter" });
    expect(refusal.errors).toContainEqual(expect.objectContaining({ parameter }));
    expect(await maxIdOf(name)).toBeUndefined();
  });
});

describe("blocks", () => {
  it("are one run at the delta, valid for half an hour", async () => {
    const name = await someSegment({ delta: 3, remainder: 1 });
    const { body, headers } = await ask(`/v1/blocks/${name}?count=1000000`);
    expect(body).toEqual({
      blocks: [{ first: "1", count: 1_000_000, step: 3 }],
      shard: 0,
      freshForMs: 1_800_000,
    });
    expect(headers.get("edgeflake-shard")).toBe("0");
    const next = await ask(`/v1/blocks/${name}?order=strict`);
    expect(next.body.blocks).toEqual([{ first: "3000001", count: 1, step: 3 }]);
    const plain = await ask(`/v1/blocks/${await someSegment()}?count=2`);
    expect(plain.body.blocks).toEqual([{ first: "1", count: 2, step: 1 }]);
  });
});

describe("numbers beyond 2^53", () => {
  it("are exact in every form", async () => {
    const name = await someSegment({ start: "9007199254740993" });
    expect((await ask(`/v1/ids/${name}?count=2`)).body.ids).toEqual([
      `${SAFE + 2n}`,
      `${SAFE + 3n}`,
    ]);
    const strict = await ask(`/v1/ids/${name}?order=strict`);
    expect(strict.body.ids).toEqual([`${SAFE + 102n}`]);
    await expectLines(`/v1/ids/${name}?format=text&count=3`, SAFE + 103n, 3);
    expect((await ask(`/v1/shards/${name}/0`)).body).toMatchObject({
      max_id: `${SAFE + 106n}`,
      start: "9007199254740993",
      fetches: [{ from: `${SAFE + 2n}`, until: `${SAFE + 102n}` }],
    });
    await evict(name);
    expect(await numbersOf(`/v1/ids/${name}?order=strict`)).toEqual([SAFE + 106n]);
  });

  it("are not JSON numbers: encoding=number needs a max below 2^53", async () => {
    const small = await someSegment({ max: `${SAFE}` });
    expect((await ask(`/v1/ids/${small}?encoding=number&count=2`)).text).toBe('{"ids":[1,2]}');
    expect((await ask(`/v1/decode/${small}/2?encoding=number`)).body).toMatchObject({ value: "2" });
    const large = await someSegment({ max: `${SAFE + 1n}` });
    for (const path of [`/v1/ids/${large}`, `/v1/decode/${large}/2`]) {
      const { errors } = await refusalOf(`${path}?encoding=number`);
      expect(errors).toMatchObject([
        { parameter: "encoding", detail: expect.stringContaining(`${SAFE + 1n}`) },
      ]);
    }
  });
});

describe("past max", () => {
  it("nothing is issued, also at the last possible number; it never wraps", async () => {
    const name = await someSegment({ start: `${MAX - 9n}` });
    const ids: bigint[] = [];
    expect(await refusalOf(`/v1/ids/${name}?count=11`)).toMatchObject({
      status: 409,
      code: "exhausted",
      definite: true,
    });
    // The remaining numbers go to requests that fit.
    ids.push(...(await numbersOf(`/v1/ids/${name}?count=7`)));
    ids.push(...(await numbersOf(`/v1/ids/${name}?count=3`)));
    expect(ids).toEqual(Array.from({ length: 10 }, (_, index) => MAX - 9n + BigInt(index)));
    for (const restarted of [false, true]) {
      if (restarted) await evict(name);
      for (const query of [
        "ids/NAME",
        "ids/NAME?order=strict",
        "blocks/NAME",
        "ids/NAME?format=text",
      ]) {
        const refusal = await refusalOf(`/v1/${query.replace("NAME", name)}`);
        expect(refusal).toMatchObject({ status: 409, code: "exhausted", definite: true });
      }
    }
    expect(await maxIdOf(name)).toBe(`${MAX + 1n}`);
  });

  it("an exact count that is too large uses nothing, a smaller one gets the rest", async () => {
    const name = await someSegment({ max: 20, delta: 4 });
    for (const query of ["?order=strict&count=6", "?count=200", "?format=text&count=20000"]) {
      expect(await refusalOf(`/v1/ids/${name}${query}`)).toMatchObject({ code: "exhausted" });
    }
    expect(await refusalOf(`/v1/blocks/${name}?count=6`)).toMatchObject({ code: "exhausted" });
    expect(await maxIdOf(name)).toBeUndefined();
    expect(await numbersOf(`/v1/ids/${name}?order=strict&count=5`)).toEqual([
      4n,
      8n,
      12n,
      16n,
      20n,
    ]);
    expect(await refusalOf(`/v1/ids/${name}?order=strict`)).toMatchObject({ code: "exhausted" });
  });

  it("numbers continue at once after a PUT raises max, and none is skipped", async () => {
    const name = await someSegment({ max: 5 });
    expect(await numbersOf(`/v1/ids/${name}?count=5`)).toEqual(numbersFrom(1, 5));
    expect(await refusalOf(`/v1/ids/${name}`)).toMatchObject({ code: "exhausted" });
    expect((await put(name, { kind: "segment", max: 12, step: 100 })).status).toBe(200);
    expect(await numbersOf(`/v1/ids/${name}`)).toEqual([6n]);
    expect(await numbersOf(`/v1/ids/${name}?order=strict&count=5`)).toEqual(numbersFrom(7, 5));
    expect(await numbersOf(`/v1/blocks/${name}`)).toEqual([12n]);
    expect(await refusalOf(`/v1/ids/${name}`)).toMatchObject({ code: "exhausted" });
  });
});
