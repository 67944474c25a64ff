import { readFileSync, writeFileSync } from 'node:fs';

/** Figures by job: ratios to native, or values of gauges. */
export type Figures = Readonly<Record<string, number>>;

/** Figures of one run and its Node.js version. */
export interface Baseline {
  readonly node: string;
  readonly figures: Figures;
}

/** Maximum ratio to the saved figure that other work on the machine explains. */
const TOLERANCE = 1.25;

export function makeBaseline(figures: Figures): Baseline {
  const rounded = Object.entries(figures).map(([name, figure]) => [name, Number(figure.toPrecision(3))]);
  return { node: process.version, figures: Object.fromEntries(rounded) };
}

export function saveBaseline(file: string, baseline: Baseline): void {
  writeFileSync(file, `${JSON.stringify(baseline, null, 2)}\n`);
}

/** @throws Error for a missing file, and for one without figures */
export function readBaseline(file: string): Baseline {
  const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
  if (!isBaseline(value)) throw new Error(`${file} has no figures. Use --save ${file} to write them.`);
  return value;
}

/** Maximum figure of a job; undefined if the baseline does not have the job. */
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
