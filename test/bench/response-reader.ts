/** Finds the end of HTTP/1.1 responses that come one at a time, and looks at nothing else but their status. */
const HEAD_BYTES_MAX = 16_384;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const CONTENT_LENGTH = Buffer.from("content-length:");
const CHUNKED = Buffer.from("transfer-encoding: chunked");

type Phase = "head" | "body" | "chunkSize" | "chunk" | "trailer";

export class ResponseReader {
  readonly #onEnd: (status: number) => void;
  #phase: Phase = "head";
  #status = 0;
  /** Bytes left of the body or chunk; the chunk's size while its line is being read. */
  #left = 0;
  /** In the line of a chunk's size: still in the number. In the trailer: the line is empty so far. */
  #atStart = true;
  /** The beginning of a head that came in more than one piece. */
  #head: Buffer | undefined;

  constructor(onEnd: (status: number) => void) {
    this.#onEnd = onEnd;
  }

  /** Takes the first `length` bytes of a buffer that may be used again afterwards. Throws at what is no response. */
  read(bytes: Buffer, length: number): void {
    let at = 0;
    while (at < length) {
      if (this.#phase === "head") at = this.#readHead(bytes, at, length);
      else if (this.#phase === "chunkSize") at = this.#readChunkSize(bytes, at, length);
      else if (this.#phase === "trailer") at = this.#readTrailer(bytes, at, length);
      else at = this.#skip(at, length);
    }
  }

  #end(): void {
    this.#phase = "head";
    this.#onEnd(this.#status);
  }

  #skip(at: number, length: number): number {
    const skipped = Math.min(this.#left, length - at);
    this.#left -= skipped;
    if (this.#left === 0) {
      if (this.#phase === "body") this.#end();
      else this.#beginChunkSize();
    }
    return at + skipped;
  }

  #beginChunkSize(): void {
    this.#phase = "chunkSize";
    this.#left = 0;
    this.#atStart = true;
  }

  #readHead(bytes: Buffer, at: number, length: number): number {
    if (!this.#head) {
      const end = this.#parseHead(bytes, at, length);
      if (end >= 0) return end;
      this.#head = Buffer.from(bytes.subarray(at, length));
      return length;
    }
    const before = this.#head.length;
    if (before > HEAD_BYTES_MAX) throw new Error("a response's head does not end");
    const joined = Buffer.concat([this.#head, bytes.subarray(at, length)]);
    // Before parsing, which may end the response.
    this.#head = undefined;
    const end = this.#parseHead(joined, 0, joined.length);
    if (end >= 0) return at + end - before;
    this.#head = joined;
    return length;
  }

  /** Answers where the body begins, or -1 where the head is not whole. */
  #parseHead(bytes: Buffer, at: number, length: number): number {
    let contentLength = -1;
    let chunked = false;
    let lineStart = at;
    for (;;) {
      const lineEnd = bytes.indexOf(LINE_FEED, lineStart);
      if (lineEnd < 0 || lineEnd >= length) return -1;
      if (lineEnd - lineStart <= 1) {
        this.#status = statusOf(bytes, at);
        this.#beginBody(contentLength, chunked);
        return lineEnd + 1;
      }
      if (startsWith(bytes, lineStart, CONTENT_LENGTH)) {
        contentLength = decimalAt(bytes, lineStart + CONTENT_LENGTH.length, lineEnd);
      } else if (startsWith(bytes, lineStart, CHUNKED)) chunked = true;
      lineStart = lineEnd + 1;
    }
  }

  #beginBody(contentLength: number, chunked: boolean): void {
    if (chunked) this.#beginChunkSize();
    else if (contentLength > 0) {
      this.#left = contentLength;
      this.#phase = "body";
    } else if (contentLength === 0 || this.#status === 204 || this.#status === 304) this.#end();
    else throw new Error("a response says neither its length nor that it is chunked");
  }

  #readChunkSize(bytes: Buffer, from: number, length: number): number {
    for (let at = from; at < length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === LINE_FEED) {
        const isLast = this.#left === 0;
        this.#phase = isLast ? "trailer" : "chunk";
        this.#atStart = true;
        // The line break that ends a chunk is skipped with it.
        this.#left += 2;
        return at + 1;
      }
      const digit = hexDigit(byte);
      // An extension may follow the number.
      if (digit < 0) this.#atStart = false;
      else if (this.#atStart) this.#left = this.#left * 16 + digit;
    }
    return length;
  }

  #readTrailer(bytes: Buffer, from: number, length: number): number {
    for (let at = from; at < length; at += 1) {
      const byte = bytes[at];
      if (byte === LINE_FEED) {
        if (this.#atStart) {
          this.#end();
          return at + 1;
        }
        this.#atStart = true;
      } else if (byte !== CARRIAGE_RETURN) this.#atStart = false;
    }
    return length;
  }
}

/** Of "HTTP/1.1 200 OK". */
function statusOf(bytes: Buffer, at: number): number {
  return decimalAt(bytes, at + 9, at + 12);
}

function decimalAt(bytes: Buffer, from: number, end: number): number {
  let value = 0;
  for (let at = from; at < end; at += 1) {
    const digit = (bytes[at] ?? 0) - 48;
    if (digit >= 0 && digit <= 9) value = value * 10 + digit;
  }
  return value;
}

function hexDigit(byte: number): number {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const letter = (byte | 32) - 97;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
}

/** Whatever the case of the letters. */
function startsWith(bytes: Buffer, from: number, lowerCase: Buffer): boolean {
  for (let at = 0; at < lowerCase.length; at += 1) {
    if (((bytes[from + at] ?? 0) | 32) !== lowerCase[at]) return false;
  }
  return true;
}
