/** Minimum length of JSON from which values of a `large` column stay unparsed text. [choice] */
export const MAX_PARSED_LENGTH: number = 64 * 1024;

/**
 * A JSON value as text. A store returns large values without parsing them, so passing them on costs nothing. Sealed
 * ones are opened on the first read. A sealed value that does not open is also returned as `JsonText`, whatever its
 * length, so that only reading the value fails, not reading its row or other rows.
 */
export class JsonText {
  /** Undefined if unknown. */
  readonly bytes: number | undefined;
  #text: string | (() => string);

  /** @param text the JSON, or a function that opens it */
  constructor(text: string | (() => string), bytes?: number) {
    this.#text = text;
    this.bytes = bytes;
  }

  /** @throws StoreError `STORE_FAILED` if a sealed text does not open */
  get text(): string {
    if (typeof this.#text !== 'string') this.#text = this.#text();
    return this.#text;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
