/** 16 MB. */
const MAX_WORDS = 2 ** 22;

/** A bounded set of (row, position) pairs. Once it is full further pairs are forgotten, which costs time but no truth. */
export class OutcomeMemo {
  private readonly rows: (Uint32Array | undefined)[] = [];
  private readonly wordsPerRow: number;
  private freeWords = MAX_WORDS;

  constructor(textLength: number) {
    this.wordsPerRow = (textLength >>> 5) + 1;
  }

  has(row: number, position: number): boolean {
    const words = this.rows[row];
    return words !== undefined && ((words[position >>> 5] ?? 0) & (1 << (position & 31))) !== 0;
  }

  add(row: number, position: number): void {
    const words = this.rows[row] ?? this.newRow(row);
    if (words === undefined) return;
    words[position >>> 5] = (words[position >>> 5] ?? 0) | (1 << (position & 31));
  }

  private newRow(row: number): Uint32Array | undefined {
    if (this.wordsPerRow > this.freeWords) return undefined;
    this.freeWords -= this.wordsPerRow;
    const words = new Uint32Array(this.wordsPerRow);
    this.rows[row] = words;
    return words;
  }
}
