import { limitError } from '../../errors/iml-error.js';
import { MAX_PIECES, MAX_RESULT_LENGTH } from './pattern-limits.js';

const PIECES_PER_CHUNK = 4096;

/** Joins pieces to one text. Joined chunk by chunk, as a long chain of small pieces takes far more memory than its text. */
export class TextBuilder {
  private length = 0;
  private pieceCount = 0;
  private pieces: string[] = [];
  private readonly chunks: string[] = [];

  /** @throws IML_LIMIT */
  append(piece: string): void {
    this.length += piece.length;
    this.pieceCount += 1;
    if (this.length > MAX_RESULT_LENGTH || this.pieceCount > MAX_PIECES) {
      throw limitError(
        `A replacement may give ${MAX_RESULT_LENGTH} characters of at most ${MAX_PIECES} pieces, this one gives more.`,
      );
    }
    this.pieces.push(piece);
    if (this.pieces.length === PIECES_PER_CHUNK) this.closeChunk();
  }

  text(): string {
    this.closeChunk();
    return this.chunks.join('');
  }

  private closeChunk(): void {
    this.chunks.push(this.pieces.join(''));
    this.pieces = [];
  }
}
