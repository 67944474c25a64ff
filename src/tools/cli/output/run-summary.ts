import type { RunReport } from '../../../engine/component/report.js';
import type { ModuleType } from '../../../engine/document/app.js';
import { printJson } from './json-output.js';

/** One line about a finished run: bundles, usage, stop reason. */
export function runSummary({ stats, state }: RunReport, bundles: number): string {
  const { requests, followUpPages, durationMs, stopReason, waits = [] } = stats;
  const parts = [
    count(bundles, 'bundle'),
    count(requests, 'request'),
    ...(followUpPages > 0 ? [count(followUpPages, 'follow-up page')] : []),
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

/** A run without bundles. */
export interface EmptyRun {
  readonly type: ModuleType;
  readonly requests: number;
  /** The state before the run, or its start if that is no word. */
  readonly since: unknown;
  readonly start: unknown;
  readonly payload: unknown;
  /** The state after the run. */
  readonly state: unknown;
}

/** Explains why a trigger returned nothing; empty if there is no explanation. */
export function explainEmptyRun(run: EmptyRun): string {
  switch (run.type) {
    case 'trigger':
      return `${explainTrigger(run)}\n`;
    case 'instant_trigger':
      return `${explainInstantTrigger(run)}\n`;
    default:
      return '';
  }
}

function explainTrigger({ since, start, state, requests }: EmptyRun): string {
  if (requests === 0) return 'No bundles: no request was sent, as no condition allowed one.';
  if (since !== undefined) return `No bundles: nothing is new since ${printJson(since)}.`;
  if (start === 'all') return 'No bundles: the service gave no items.';
  if (state === undefined) return 'No bundles: the service gave no items that the trigger could tell apart.';
  return `No bundles: a trigger without state starts here (${printJson(state)}), and gives what comes from now on. --start all gives all there is; --state FILE keeps where it stands for the next run.`;
}

function explainInstantTrigger({ payload }: EmptyRun): string {
  if (payload === undefined)
    return 'No bundles: an instant trigger works on an item of a webhook, and none was given. --payload gives one; iml webhook makes items of a call.';
  return 'No bundles: for this item the condition was false, or nothing was put out.';
}
