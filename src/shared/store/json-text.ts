import { seal } from '../seal.js';
import { type ColumnSeal, openSealed } from './column-seal.js';

/** Minimum length of JSON from which values of a `large` column stay unparsed text. [choice] */
export const MAX_PARSED_LENGTH: number = 64 * 1024;

/** A text as a column stores it. */
interface SealedText {
  readonly text: string;
  readonly by: ColumnSeal;
}

/**
 * A large JSON value as text. A store returns it without parsing it, so passing it on costs nothing. A sealed text is
 * opened on the first read.
 */
export class JsonText {
  /** Undefined if unknown. */
  readonly bytes: number | undefined;
  #text: string | undefined;
  readonly #sealed: SealedText | undefined;

  constructor(text: string | SealedText, bytes?: number) {
    if (typeof text === 'string') this.#text = text;
    else this.#sealed = text;
    this.bytes = bytes;
  }

  /** @throws StoreError `STORE_FAILED` if a sealed text does not open */
  get text(): string {
    if (this.#text === undefined && this.#sealed !== undefined) {
      this.#text = openSealed(this.#sealed.text, this.#sealed.by);
    }
    return this.#text ?? '';
  }

  /** The text as a sealed column stores it. */
  sealedText(by: ColumnSeal): string {
    const sealed = this.#sealed;
    if (sealed?.by.key === by.key && sealed.by.purpose === by.purpose) return sealed.text;
    return seal(this.text, by.key, by.purpose);
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
