/** Keeps IDs in little memory and off the garbage collector's hands, to see whether one came twice. */
const SLOT_BYTES = 40;
/** Texts are compared in so many parts, one after another: that bounds the memory it takes. */
const PARTS = 16;

export class KeptIds {
  readonly #capacity: number;
  readonly #numbers: BigUint64Array;
  #numberCount = 0;
  /** Slots of equal length, each text at the end of its own, zeros before it. */
  readonly #texts: Buffer;
  #textCount = 0;

  /** Keeps so many of each kind: pages that are not used take no memory. */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#numbers = new BigUint64Array(capacity);
    this.#texts = Buffer.alloc(capacity * SLOT_BYTES);
  }

  get count(): number {
    return this.#numberCount + this.#textCount;
  }

  /** What is past the capacity is left out. */
  add(ids: readonly (bigint | string)[]): void {
    for (const id of ids) {
      if (this.count >= this.#capacity) return;
      if (typeof id === "bigint") this.#addNumber(id);
      else this.#addText(id);
    }
  }

  /** How many had come before. Leaves the numbers in order. */
  repeats(): number {
    return this.#repeatedNumbers() + this.#repeatedTexts();
  }

  #addNumber(id: bigint): void {
    this.#numbers[this.#numberCount] = id;
    this.#numberCount += 1;
  }

  #addText(id: string): void {
    if (id.length > SLOT_BYTES) throw new RangeError(`an ID of ${id.length} characters`);
    this.#textCount += 1;
    this.#texts.write(id, this.#textCount * SLOT_BYTES - id.length, "latin1");
  }

  #repeatedNumbers(): number {
    const sorted = this.#numbers.subarray(0, this.#numberCount).sort();
    let repeats = 0;
    for (let index = 1; index < sorted.length; index += 1) {
      if (sorted[index] === sorted[index - 1]) repeats += 1;
    }
    return repeats;
  }

  #repeatedTexts(): number {
    let distinct = 0;
    for (let part = 0; part < PARTS; part += 1) {
      const seen = new Set<string>();
      for (let end = SLOT_BYTES; end <= this.#textCount * SLOT_BYTES; ) {
        const isInPart = (this.#texts[end - 1] ?? 0) % PARTS === part;
        if (isInPart) seen.add(this.#texts.toString("latin1", end - SLOT_BYTES, end));
        end += SLOT_BYTES;
      }
      distinct += seen.size;
    }
    return this.#textCount - distinct;
  }
}
