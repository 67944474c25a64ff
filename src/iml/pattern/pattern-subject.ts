/** What stands before the first and after the last character. */
export const NO_CHARACTER = -1;

/** The text a pattern runs over, read by UTF-16 units, or by code points with flag `u`. */
export class PatternSubject {
  readonly text: string;
  readonly length: number;
  private readonly unicode: boolean;

  constructor(text: string, unicode: boolean) {
    this.text = text;
    this.length = text.length;
    this.unicode = unicode;
  }

  characterAt(position: number): number {
    if (position >= this.length) return NO_CHARACTER;
    return (this.unicode ? this.text.codePointAt(position) : this.text.charCodeAt(position)) ?? NO_CHARACTER;
  }

  characterBefore(position: number): number {
    if (position <= 0) return NO_CHARACTER;
    if (this.insidePair(position - 1)) return this.text.codePointAt(position - 2) ?? NO_CHARACTER;
    return this.text.charCodeAt(position - 1);
  }

  /** Whether the position is one that cannot be reached by code points. */
  insidePair(position: number): boolean {
    return this.unicode && position > 0 && (this.text.codePointAt(position - 1) ?? 0) > 0xffff;
  }

  atLineStart(position: number, multiline: boolean): boolean {
    return position === 0 || (multiline && isLineTerminator(this.text.charCodeAt(position - 1)));
  }

  atLineEnd(position: number, multiline: boolean): boolean {
    return position === this.length || (multiline && isLineTerminator(this.text.charCodeAt(position)));
  }
}

/** UTF-16 units of one character. */
export function widthOf(character: number): 1 | 2 {
  return character > 0xffff ? 2 : 1;
}

function isLineTerminator(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d || unit === 0x2028 || unit === 0x2029;
}
