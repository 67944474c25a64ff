/** Characters of JSON up to which a value is written and read at once: a few milliseconds. */
export const MAX_JSON_AT_ONCE: number = 64 * 1024;

/**
 * A value that is too large to be written as JSON, or read, while others wait: its text, which a store keeps and gives
 * as it is. Who wants the value reads it in turns.
 */
export class JsonText {
  readonly text: string;
  /** Undefined where nobody has counted them. */
  readonly bytes: number | undefined;

  constructor(text: string, bytes?: number) {
    this.text = text;
    this.bytes = bytes;
  }

  toJSON(): unknown {
    return JSON.parse(this.text);
  }
}
