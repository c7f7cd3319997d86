/**
 * This isolate's stocks of prefetched IDs, one per namespace. Single IDs, batches and segments each have a prefetcher;
 * its rule decides when to fetch and how much.
 *
 * A stock is plain data, never a promise or stub of a request. No timer or call runs between requests.
 */
import type { Block } from "../../core/blocks/block.ts";
import { BlockBuffer, type Fetch, type RefillRule } from "../../core/blocks/block-buffer.ts";
import { openFor, shardOf, takeBlocks } from "../../core/blocks/take-blocks.ts";
import { setBounded } from "../../core/bounded-map.ts";
import type { Issued } from "../calls/issued.ts";
import type { Placement } from "../calls/pick-shard.ts";
import { FRESH_NAMESPACES_MAX } from "../limits.ts";
import type { Namespace } from "../registry/namespaces.ts";

/** The source of IDs for a request. */
export interface Source<Of extends Namespace = Namespace> {
  readonly env: Env;
  readonly namespace: Of;
  readonly placement: Placement;
  /** Keeps work alive after the response. */
  readonly waitUntil: (work: Promise<unknown>) => void;
}

export interface PrefetchRules<Of extends Namespace, Rule extends RefillRule> {
  readonly ruleFor: (namespace: Of) => Rule;
  /** Applies the namespace's current settings to its stock. */
  readonly follow: (buffer: BlockBuffer, rule: Rule, namespace: Of) => void;
  /** Maximum IDs of one fetch. A stock for fewer than two requests is not worth a fetch. */
  readonly countMax: (namespace: Of) => number;
  readonly fetch: (source: Source<Of>, count: number) => Promise<Issued>;
  /** Records the count of a request. */
  readonly asked?: (rule: Rule, count: number) => void;
  /** True if all IDs of a request must come from one fetch, and so from one shard. */
  readonly ofOneFetch: boolean;
}

type Refused = Extract<Issued, { ok: false }>;

/** The stock of one namespace, with its settings. */
interface Held<Of extends Namespace, Rule extends RefillRule> {
  namespace: Of;
  countMax: number;
  readonly buffer: BlockBuffer;
  readonly rule: Rule;
}

export class Prefetcher<Of extends Namespace, Rule extends RefillRule> {
  readonly #rules: PrefetchRules<Of, Rule>;
  readonly #stocks = new Map<string, Held<Of, Rule>>();

  constructor(rules: PrefetchRules<Of, Rule>) {
    this.#rules = rules;
  }

  /** The stock of a namespace; undefined if it could not serve two requests of `count` IDs. */
  stockFor(namespace: Of, count: number): Held<Of, Rule> | undefined {
    const known = this.#stocks.get(namespace.name);
    if (known && known.namespace !== namespace) this.#follow(known, namespace);
    if (2 * count > (known?.countMax ?? this.#rules.countMax(namespace))) return undefined;
    return known ?? this.#stockOf(namespace);
  }

  /** Takes `count` IDs from the namespace's stock; undefined if it has too few. Starts a fetch if the rule says so. */
  serve(source: Source<Of>, count: number): Issued | undefined {
    const stock = this.stockFor(source.namespace, count);
    if (!stock) return undefined;
    const nowMs = Date.now();
    const issued = this.take(stock, count, nowMs);
    this.prefetch(source, stock, nowMs);
    return issued;
  }

  /** Takes `count` IDs from a stock; undefined if it has too few. */
  take({ buffer, rule }: Held<Of, Rule>, count: number, nowMs: number): Issued | undefined {
    this.#rules.asked?.(rule, count);
    const isOpen = !this.#rules.ofOneFetch || openFor(buffer, count, nowMs);
    const blocks: readonly Block[] | undefined = isOpen
      ? takeBlocks(buffer, count, nowMs)
      : undefined;
    if (blocks) return { ok: true, shard: shardOf(buffer), blocks };
    buffer.missed();
    return undefined;
  }

  /** Starts a fetch in the background if the rule says so. Returns its refusal, for a request that waits for it. */
  prefetch(
    source: Source<Of>,
    { buffer, countMax }: Held<Of, Rule>,
    nowMs: number,
  ): Promise<Refused | undefined> | undefined {
    const fetch = buffer.plan(nowMs, countMax);
    if (!fetch) return undefined;
    const fetching = this.#fetch(source, buffer, fetch, nowMs);
    // The fetch must outlive its request. After a failure, no fetch starts until the claim lapses.
    source.waitUntil(fetching.catch(() => undefined));
    return fetching;
  }

  async #fetch(
    source: Source<Of>,
    buffer: BlockBuffer,
    fetch: Fetch,
    askedAtMs: number,
  ): Promise<Refused | undefined> {
    const issued = await this.#rules.fetch(source, fetch.count);
    if (!issued.ok) return issued;
    const { blocks, shard } = issued;
    buffer.fill(fetch, { blocks, shard, askedAtMs }, Date.now());
    return undefined;
  }

  #stockOf(namespace: Of): Held<Of, Rule> {
    const rule = this.#rules.ruleFor(namespace);
    const stock = { namespace, countMax: 0, buffer: new BlockBuffer(rule), rule };
    this.#follow(stock, namespace);
    setBounded(this.#stocks, namespace.name, stock, FRESH_NAMESPACES_MAX);
    return stock;
  }

  #follow(stock: Held<Of, Rule>, namespace: Of): void {
    stock.namespace = namespace;
    stock.countMax = this.#rules.countMax(namespace);
    this.#rules.follow(stock.buffer, stock.rule, namespace);
  }
}
