import type { RunReport } from '../../component/module-run.js';
import { printJson } from './json-output.js';

/** One line about a finished run: bundles, usage, stop reason. */
export function runSummary({ stats, state }: RunReport, bundles: number): string {
  const { requests, pages, durationMs, stopReason, waits = [] } = stats;
  const parts = [
    count(bundles, 'bundle'),
    count(requests, 'request'),
    ...(pages > 0 ? [count(pages, 'follow-up page')] : []),
    seconds(durationMs),
    ...waits.map(({ origin, reason, waitedMs }) => `waited ${seconds(waitedMs)} for ${origin} (${reason})`),
    ...(stopReason === undefined || stopReason === 'no-pagination' ? [] : [`no further page: ${stopReason}`]),
  ];
  const stateLine = state === undefined ? '' : `state for the next run: ${printJson(state)}\n`;
  return `${parts.join(', ')}\n${stateLine}`;
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
