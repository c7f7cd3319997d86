/** An object creates its tables with its first write: reading the status of an unused object stores nothing. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { NO_ECHO } from "../../../src/core/line/object-clock.ts";
import { answerKeyOf } from "../../../src/objects/kept-answers.ts";
import { LeaseStorage } from "../../../src/objects/lease-storage.ts";
import { Leases } from "../../../src/objects/leases.ts";
import { Registry } from "../../../src/objects/registry.ts";
import { RegistryStorage } from "../../../src/objects/registry-storage.ts";
import { SegmentStorage } from "../../../src/objects/segment-storage.ts";
import { Segments } from "../../../src/objects/segments.ts";
import { Shard } from "../../../src/objects/shard.ts";
import { ShardStorage } from "../../../src/objects/shard-storage.ts";
import { ask, put } from "../../support/admin.ts";
import { START_MS, useClock } from "../../support/clock.ts";
import { layoutWith, TERMS } from "../../support/leases.ts";
import { specOf } from "../../support/segments.ts";
import { namespaceOf, stubOf } from "../../support/shards.ts";

useClock();

const { lineSpec, layout } = namespaceOf("default");
const DESK_LAYOUT = layoutWith(2);
const WISH = { holder: "pod", ttlMs: 5000, idempotencyKey: "owner key", terms: TERMS };
const KEY = await answerKeyOf("owner key");
const CLOCKS = { earlierMs: START_MS, laterMs: START_MS };

/** One instance of an object. */
interface Instance {
  /** Every question that it answers without a write. */
  readonly ask: () => readonly unknown[];
  readonly write: () => unknown;
}

interface Kind {
  readonly objects: Pick<DurableObjectNamespace, "getByName">;
  readonly start: (state: DurableObjectState) => Instance;
  /** The answers before the first write. */
  readonly unused: readonly unknown[];
}

const SHARD: Kind = {
  objects: env.SHARD,
  start: (state) => {
    const storage = new ShardStorage(state.storage.sql);
    const shard = new Shard(state, env);
    const lanes = () => {
      const reply = shard.status(lineSpec);
      return reply.ok && reply.status.lanes;
    };
    return {
      ask: () => [storage.fingerprint(), storage.line(layout), lanes()],
      write: () => shard.grant(lineSpec, 1, true, 0, Date.now(), 0, 0),
    };
  },
  unused: [undefined, { marks: [0], counters: [] }, [{ lane: 0, next: 0, mark: 0, leadTicks: 0 }]],
};

const SEGMENT: Kind = {
  objects: env.SEGMENTS,
  start: (state) => {
    const storage = new SegmentStorage(state.storage);
    const segments = new Segments(state, env);
    const issued = () => {
      const reply = segments.status(specOf());
      return reply.ok && reply.status.tally.issued;
    };
    return {
      ask: () => [storage.row(), storage.answers.find(KEY, CLOCKS), issued()],
      write: () => segments.nextNumbers(specOf(), 1, "owner key", Date.now()),
    };
  },
  unused: [undefined, undefined, 0],
};

const DESK: Kind = {
  objects: env.LEASES,
  start: (state) => {
    const storage = new LeaseStorage(state.storage);
    const desk = new Leases(state, env);
    const leases = () => {
      const page = desk.page(DESK_LAYOUT, 0, 10);
      return page.ok && page.leases;
    };
    const { idempotencyKey } = WISH;
    return {
      ask: () => [storage.fingerprint(), storage.ofKey(idempotencyKey), leases()],
      write: () => desk.acquire(DESK_LAYOUT, WISH, Date.now(), NO_ECHO),
    };
  },
  unused: [undefined, undefined, []],
};

const UNKNOWN = { kind: "unknown" };

const REGISTRY: Kind = {
  objects: env.REGISTRY,
  start: (state) => {
    const storage = new RegistryStorage(state.storage.sql);
    const registry = new Registry(state, env);
    return {
      ask: () => [
        [registry.namespace("orders"), registry.keyByHash("hash")],
        [registry.namespaces("", 10), registry.namespaces("", 10, ["orders"])],
        registry.keys("", 10),
        [storage.countKeys(), storage.countNamespaces()],
        [registry.retireNamespace("never", "admin"), registry.deleteKey("never", "admin")],
      ],
      write: () => {
        const id = crypto.randomUUID();
        return registry.addKey({ id, scopes: [], createdMs: 0 }, id, "admin");
      },
    };
  },
  unused: [[undefined, undefined], [[], []], [], [0, { inUse: 0, names: 0 }], [UNKNOWN, UNKNOWN]],
};

function tablesIn({ storage: { sql } }: DurableObjectState): unknown {
  return sql.exec("SELECT count(*) AS many FROM sqlite_master").one().many;
}

/** The statements that run from now on. */
function statementsOf({ storage: { sql } }: DurableObjectState): string[] {
  const statements: string[] = [];
  const exec = sql.exec.bind(sql);
  vi.spyOn(sql, "exec").mockImplementation((query: string, ...bindings: SqlStorageValue[]) => {
    statements.push(query);
    return exec(query, ...bindings);
  });
  return statements;
}

describe.each([
  ["shard", SHARD],
  ["segment", SEGMENT],
  ["lease desk", DESK],
  ["registry", REGISTRY],
])("a %s", (title, { objects, start, unused }) => {
  const within = (test: string, look: (state: DurableObjectState) => unknown) => {
    const name = objects === env.SHARD ? `default/${test.length}` : `${title} ${test}`;
    return runInDurableObject(objects.getByName(name), (_, state) => look(state));
  };
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it("that was never used says so, and writes nothing", () =>
    within("unused", (state) => {
      expect(start(state).ask()).toEqual(unused);
      expect(tablesIn(state)).toBe(0);
    }));

  it("sees that another instance wrote to its storage", () =>
    within("another", async (state) => {
      const [one, other] = [start(state), start(state)];
      expect(one.ask()).toEqual(unused);
      await other.write();
      expect(tablesIn(state)).toBeGreaterThan(1);
      expect(one.ask()).not.toEqual(unused);
    }));

  it("does not look for its tables again", () =>
    within("looks", async (state) => {
      const instance = start(state);
      await instance.write();
      instance.ask();
      await instance.write();
      const statements = statementsOf(state);
      instance.ask();
      await instance.write();
      expect(statements).not.toEqual([]);
      expect(statements.filter((query) => /sqlite_master|CREATE/.test(query))).toEqual([]);
    }));

  it("does not seem unused if its storage fails", () =>
    within("storage", async (state) => {
      const instance = start(state);
      vi.spyOn(state.storage.sql, "exec").mockImplementation(() => {
        throw new Error("disk I/O error");
      });
      expect(() => instance.ask()).toThrow("disk I/O error");
      await expect(async () => instance.write()).rejects.toThrow("disk I/O error");
    }));

  it("is unchanged if its first write fails, and writes the next time", () =>
    within("again-", async (state) => {
      const instance = start(state);
      const { sql } = state.storage;
      const exec = sql.exec.bind(sql);
      vi.spyOn(sql, "exec").mockImplementation((query: string, ...bindings: SqlStorageValue[]) => {
        if (query.startsWith("INSERT")) throw new Error("disk full");
        return exec(query, ...bindings);
      });
      await expect(async () => instance.write()).rejects.toThrow("disk full");
      expect(start(state).ask()).toEqual(unused);
      vi.mocked(sql.exec).mockRestore();
      await instance.write();
      expect(start(state).ask()).not.toEqual(unused);
    }));
});

it("the status of a shard creates no table", async () => {
  const shards = 40;
  await put("asked-about", { kind: "snowflake", shards });
  for (const cursor of ["", "?cursor=32"]) {
    expect((await ask(`/v1/shards/asked-about${cursor}`)).status).toBe(200);
  }
  for (let shard = 0; shard < shards; shard += 1) {
    const stub = stubOf("asked-about", shard);
    expect(await runInDurableObject(stub, (_, state) => tablesIn(state))).toBe(0);
  }
});
