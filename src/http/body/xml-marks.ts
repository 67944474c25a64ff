import { MAX_NAME_LENGTH, tooLongName } from './name-limit.js';

/** Where in a document the scan is. */
const IN_TEXT = 0;
const OPENED = 1;
const DECLARED = 2;
const IN_COMMENT = 3;
const IN_CDATA = 4;
const IN_TARGET = 5;
const IN_INSTRUCTION = 6;
const IN_TAG = 7;
const IN_VALUE = 8;
const IN_REFERENCE = 9;

const TAB = 0x09;
const NEWLINE = 0x0a;
const SPACE = 0x20;
const DOUBLE_QUOTE = 0x22;
const AMPERSAND = 0x26;
const SINGLE_QUOTE = 0x27;
const DASH = 0x2d;
const SLASH = 0x2f;
const SEMICOLON = 0x3b;
const LESS = 0x3c;
const EQUALS = 0x3d;
const GREATER = 0x3e;
const QUESTION_MARK = 0x3f;
const BRACKET = 0x5d;
const BANG = 0x21;
/** Line ends of XML 1.1 alone. */
const NEXT_LINE = 0x85;
const LINE_SEPARATOR = 0x2028;

export interface MarkLimits {
  /** What stands between `<?` and `?>`. */
  readonly maxInstruction: number;
  /**
   * Signs at which the parser cuts a text in two and keeps both: `&` and `]`, a dash in a comment, a question mark in an
   * instruction, a line end or tab in the value of an attribute. Each costs it 100 bytes or so, the last three twice that: they count for two.
   */
  readonly maxMarks: number;
}

/**
 * Looks at a document before its parser does, from within the first tag on: names and references are kept by the parser until
 * they end, and then looked at as a whole. As the parser ends at the first error, this only has to follow what is none.
 */
export class XmlMarks {
  readonly #limits: MarkLimits;
  #state = IN_TAG;
  /** Characters of the name, reference or instruction under way, or since `<!`. */
  #run = 0;
  /** Signs that stand one behind the other and may end a comment, a CDATA section, an instruction. */
  #ending = 0;
  /** The quote that ends a value. */
  #quote = 0;
  /** Where a reference stands: in text or in a value. */
  #around = IN_TEXT;
  #marks = 0;

  constructor(limits: MarkLimits) {
    this.#limits = limits;
  }

  /** Marks so far. */
  get count(): number {
    return this.#marks;
  }

  /** @returns what is wrong with the document, if it is known by now */
  take(piece: string, from: number): string | undefined {
    const { maxInstruction, maxMarks } = this.#limits;
    for (let index = from; index < piece.length; index++) {
      this.#step(piece.charCodeAt(index));
      if (this.#state !== IN_INSTRUCTION) {
        if (this.#run > MAX_NAME_LENGTH) return tooLongName();
      } else if (this.#run > maxInstruction)
        return `an instruction of more than ${maxInstruction} characters`;
    }
    if (this.#marks > maxMarks) return `more than ${maxMarks} marks such as & and ]`;
    return undefined;
  }

  #step(code: number): void {
    switch (this.#state) {
      case IN_TEXT:
        if (code === LESS) this.#state = OPENED;
        else this.#cut(code, IN_TEXT);
        return;
      case OPENED:
        this.#run = code === BANG || code === QUESTION_MARK || code === SLASH ? 0 : 1;
        this.#state = code === BANG ? DECLARED : code === QUESTION_MARK ? IN_TARGET : IN_TAG;
        return;
      case DECLARED:
        this.#declare(code);
        return;
      case IN_COMMENT:
        if (this.#ends(code, 2)) return;
        if (code !== DASH && this.#ending > 0) this.#marks += 2;
        this.#ending = code === DASH ? this.#ending + 1 : 0;
        return;
      case IN_CDATA:
        if (this.#ends(code, 2)) return;
        if (code === BRACKET) this.#marks++;
        this.#ending = code === BRACKET ? this.#ending + 1 : 0;
        return;
      case IN_TARGET:
        if (!isSpace(code) && code !== QUESTION_MARK) this.#run++;
        else {
          this.#enter(IN_INSTRUCTION);
          this.#ending = code === QUESTION_MARK ? 1 : 0;
        }
        return;
      case IN_INSTRUCTION:
        if (this.#ends(code, 1)) return;
        this.#run++;
        if (this.#ending > 0) this.#marks += 2;
        this.#ending = code === QUESTION_MARK ? 1 : 0;
        return;
      case IN_TAG:
        this.#stepInTag(code);
        return;
      case IN_VALUE:
        if (code === this.#quote) this.#enter(IN_TAG);
        else if (code === NEWLINE || code === TAB) this.#marks += 2;
        else this.#cut(code, IN_VALUE);
        return;
      default:
        if (code === SEMICOLON) this.#enter(this.#around);
        else this.#run++;
    }
  }

  #enter(state: number): void {
    this.#state = state;
    this.#run = 0;
    this.#ending = 0;
  }

  /** What cuts a text or a value in two. */
  #cut(code: number, around: number): void {
    if (code === AMPERSAND) {
      this.#marks++;
      this.#around = around;
      this.#enter(IN_REFERENCE);
    } else if (code === BRACKET || code === NEXT_LINE || code === LINE_SEPARATOR) this.#marks++;
  }

  /** Behind `<!`: a comment, a CDATA section, or what the parser refuses within a document. */
  #declare(code: number): void {
    this.#run++;
    if (code === DASH && this.#run === 2) this.#enter(IN_COMMENT);
    else if (this.#run === '[CDATA['.length) this.#enter(IN_CDATA);
  }

  #stepInTag(code: number): void {
    if (code === GREATER) this.#enter(IN_TEXT);
    else if (code === DOUBLE_QUOTE || code === SINGLE_QUOTE) {
      this.#enter(IN_VALUE);
      this.#quote = code;
    } else if (isSpace(code) || code === EQUALS || code === SLASH) this.#run = 0;
    else this.#run++;
  }

  /** Whether a token ends here, behind so many of the signs that end it. */
  #ends(code: number, count: number): boolean {
    if (code !== GREATER || this.#ending < count) return false;
    this.#enter(IN_TEXT);
    return true;
  }
}

function isSpace(code: number): boolean {
  return code === SPACE || code === NEWLINE || code === TAB;
}
