import { MAX_OVERLAP, SANITIZED } from './redact-value.js';

/** Where in a text a secret stands, in units of UTF-16: from `start` up to, and without, `end`. */
export interface SecretStretch {
  readonly start: number;
  readonly end: number;
}

/** A stretch that may grow. */
export interface Stretch {
  start: number;
  end: number;
}

/** Adds a stretch to those that were found, or joins it with the last of them, which it touches mostly. */
export function addStretch(found: Stretch[], start: number, end: number): void {
  const last = found.at(-1);
  if (last !== undefined && start <= last.end && end >= last.start) {
    last.start = Math.min(start, last.start);
    last.end = Math.max(end, last.end);
  } else {
    found.push({ start, end });
  }
}

/** Stretches in order, none touching another. */
export function mergeStretches(found: readonly SecretStretch[]): readonly Stretch[] {
  const merged: Stretch[] = [];
  for (const { start, end } of found.toSorted((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last !== undefined && start <= last.end) last.end = Math.max(last.end, end);
    else merged.push({ start, end });
  }
  return merged;
}

/** @param stretches in order, none touching another */
export function replaceStretches(text: string, stretches: readonly SecretStretch[]): string {
  if (stretches.length === 0) return text;
  let shown = '';
  let at = 0;
  for (const { start, end } of stretches) {
    if (start >= text.length) break;
    shown += text.slice(at, start) + SANITIZED;
    at = end;
  }
  return shown + text.slice(at);
}

/** The first `length` characters of a text without what is found in it, also where that goes on behind them. */
export function cleanStart(
  text: string,
  length: number,
  find: (near: string) => readonly SecretStretch[],
): string {
  return replaceStretches(text.slice(0, length), find(text.slice(0, length + MAX_OVERLAP)));
}
