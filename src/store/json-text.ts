import { seal } from '../util/seal.js';
import { type ColumnSeal, openSealed, refuseSealed } from './column-seal.js';

/** Most processes never keep a large one sealed. */
const loadTurns = (): Promise<typeof import('../util/seal-in-turns.js')> =>
  import('../util/seal-in-turns.js');

/** Characters of JSON up to which a value is written and read at once: a few milliseconds. */
export const MAX_JSON_AT_ONCE: number = 64 * 1024;

/** A text as a column keeps it. */
interface SealedText {
  readonly text: string;
  readonly by: ColumnSeal;
}

/**
 * A value that is too large to be written as JSON, or read, while others wait: its text, which a store keeps and gives
 * as it is. Who wants the value reads it in turns. One that is kept sealed is opened when it is read.
 */
export class JsonText {
  /** Undefined where nobody has counted them. */
  readonly bytes: number | undefined;
  #text: string | undefined;
  #sealed: SealedText | undefined;

  constructor(text: string | SealedText, bytes?: number) {
    if (typeof text === 'string') this.#text = text;
    else this.#sealed = text;
    this.bytes = bytes;
  }

  /** Opens what is sealed at once. @throws StoreError `STORE_FAILED` */
  get text(): string {
    if (this.#text === undefined && this.#sealed !== undefined) {
      this.#text = openSealed(this.#sealed.text, this.#sealed.by);
    }
    return this.#text ?? '';
  }

  /** Opens what is sealed in turns. @throws StoreError `STORE_FAILED` */
  async readBytes(): Promise<Buffer> {
    if (this.#text !== undefined || this.#sealed === undefined) return Buffer.from(this.text);
    const { text, by } = this.#sealed;
    const { unsealInTurns } = await loadTurns();
    return (await unsealInTurns(text, by.key, by.purpose)) ?? refuseSealed(by);
  }

  /** Seals it in turns for a column, which keeps it then as it is. */
  async seal(by: ColumnSeal): Promise<void> {
    if (this.#isSealedBy(by)) return;
    const { sealInTurns } = await loadTurns();
    this.#sealed = { text: await sealInTurns(this.text, by.key, by.purpose), by };
  }

  /** As a column keeps it. */
  sealedText(by: ColumnSeal): string {
    if (this.#sealed !== undefined && this.#isSealedBy(by)) return this.#sealed.text;
    return seal(this.text, by.key, by.purpose);
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }

  #isSealedBy({ key, purpose }: ColumnSeal): boolean {
    return this.#sealed?.by.key === key && this.#sealed.by.purpose === purpose;
  }
}
