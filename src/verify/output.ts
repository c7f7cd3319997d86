/**
 * A standard stream that may have been closed, or be a file on a full disk: what it can't take is lost, and stops
 * nothing. Without this, the stream's error would end the process in the middle of a run.
 */
export class Output {
  readonly #stream: NodeJS.WriteStream;
  #error: Error | undefined;
  #written: Promise<void> = Promise.resolve();

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
    stream.on("error", (error) => this.#fail(error));
  }

  get isTTY(): boolean {
    return this.#stream.isTTY;
  }

  get columns(): number {
    return this.#stream.columns;
  }

  write(text: string): void {
    if (this.#error) return;
    this.#written = new Promise((resolve) => {
      this.#stream.write(text, (error) => {
        if (error) this.#fail(error);
        resolve();
      });
    });
  }

  /** When all was written: what it failed with, if it did. */
  async settled(): Promise<Error | undefined> {
    await this.#written;
    return this.#error;
  }

  #fail(error: Error): void {
    this.#error ??= error;
  }
}
