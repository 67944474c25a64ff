import { readFileSync, writeFileSync } from 'node:fs';

/** What jobs came out at, by name: a ratio to native, or what a gauge reads. */
export type Figures = Readonly<Record<string, number>>;

/** Figures of one run, and what they were measured with. */
export interface Baseline {
  readonly node: string;
  readonly figures: Figures;
}

/** A figure above this many times the saved one is slower than other work on the machine explains. */
const TOLERANCE = 1.25;

export function makeBaseline(figures: Figures): Baseline {
  const rounded = Object.entries(figures).map(([name, figure]) => [name, Number(figure.toPrecision(3))]);
  return { node: process.version, figures: Object.fromEntries(rounded) };
}

export function saveBaseline(file: string, baseline: Baseline): void {
  writeFileSync(file, `${JSON.stringify(baseline, null, 2)}\n`);
}

/** @throws Error for a file that is no baseline, or none at all */
export function readBaseline(file: string): Baseline {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isBaseline(value)) throw new Error(`${file} holds no figures; --save ${file} writes them.`);
  return value;
}

/** Undefined for a job the baseline does not have. */
export function readCeiling(baseline: Baseline | undefined, job: string): number | undefined {
  if (baseline === undefined || !Object.hasOwn(baseline.figures, job)) return undefined;
  return (baseline.figures[job] ?? Number.NaN) * TOLERANCE;
}

function isBaseline(value: unknown): value is Baseline {
  if (typeof value !== 'object' || value === null || !('figures' in value)) return false;
  const { figures } = value;
  return (
    typeof figures === 'object' &&
    figures !== null &&
    Object.values(figures).every((figure) => typeof figure === 'number')
  );
}
