/** Ceilings of one pattern: UTF-16 units, and groups inside groups. */
export const PATTERN_LIMITS: Readonly<{ maxLength: number; maxDepth: number }> = Object.freeze({
  maxLength: 32_768,
  maxDepth: 200,
});

/** Counted repetitions are written out; together with all else they may have so many instructions. Above what any pattern without them needs. */
export const MAX_PROGRAM_LENGTH = 100_000;

/** Steps one replacement may take, an instruction each. About a second. */
export const MAX_STEPS = 30_000_000;

/** Longest result of a replacement, in UTF-16 units: 64 MB. */
export const MAX_RESULT_LENGTH: number = 2 ** 25;

/** Pieces of a result cost time even when they are empty. */
export const MAX_PIECES: number = 2 ** 24;
