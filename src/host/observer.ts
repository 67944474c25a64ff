import type { RunOutcome } from '../scenario/scenario-state.js';
import type { PlainObject } from '../shared/plain-object.js';
import type { FlowOutput, FlowStepName } from './ports.js';

/** Why a call was refused. */
export type CallRefusal =
  /** 404: unknown path. */
  | 'unknown-address'
  /** 410: the webhook is disabled. */
  | 'hook-off'
  /** The app rejected the call in `verification`, or the payload could not be parsed. */
  | 'refused-by-app'
  /** 413: the events for all recipients together are too large. */
  | 'too-large'
  /** 429: the queue of the webhook is full. */
  | 'queue-full'
  /** 503: the store is unavailable. */
  | 'store-failing'
  /** 503: many calls already wait for the store. */
  | 'busy'
  /** 503: the worker was terminated because this or another call of the app exceeded time or memory. */
  | 'terminated'
  /** 500: a bug. */
  | 'defect';

/** A call was stored. */
export interface CallAccepted {
  readonly kind: 'call-accepted';
  /** Id of the call in logs and in its events. */
  readonly callId: string;
  /** Name of the hook, never its URL. */
  readonly hook: string;
  /** Ids of its events: none if the app ignores the call, several for several recipients. */
  readonly eventIds: readonly number[];
  /** Bytes of the payload. */
  readonly bytes: number;
  readonly status: number;
  readonly durationMs: number;
}

/** A call was refused. */
export interface CallRefused {
  readonly kind: 'call-refused';
  readonly callId: string;
  /** Undefined for an unknown path. */
  readonly hook: string | undefined;
  readonly reason: CallRefusal;
  readonly status: number;
  /** The error as safe JSON. */
  readonly error: PlainObject | undefined;
  readonly durationMs: number;
}

/** The input of a run. */
export type RunSource =
  | {
      readonly kind: 'event';
      readonly eventId: number;
      readonly hookId: number;
      readonly callId: string | undefined;
    }
  | { readonly kind: 'poll' }
  | { readonly kind: 'incomplete'; readonly incompleteId: number };

/** A run started. */
export interface RunStarted {
  readonly kind: 'run-started';
  readonly runId: string;
  readonly scenario: string;
  readonly source: RunSource;
  /** Starts so far whose end no process recorded, including this one. */
  readonly attempt: number;
  /** Time since the work was due. */
  readonly waitedMs: number;
}

/** A run ended and its results are stored. */
export interface RunFinished {
  readonly kind: 'run-finished';
  readonly runId: string;
  readonly scenario: string;
  readonly source: RunSource;
  readonly outcome: RunOutcome['kind'];
  /**
   * Result for the input: `done`; `dead` waits for a person; `again` is retried; `stopped` was aborted by the end of
   * the process and is retried.
   */
  readonly becomes: 'done' | 'dead' | 'again' | 'stopped';
  /** Number of stored incomplete executions. */
  readonly incompletes: number;
  /** The output, or where the bundles ended. Undefined if unknown. */
  readonly output?: FlowOutput | undefined;
  /** The error as safe JSON; undefined on success. */
  readonly error: PlainObject | undefined;
  /** The step whose module failed. */
  readonly failedAt?: FlowStepName | undefined;
  readonly durationMs: number;
}

/** A scenario is suspended until a time, fully or except for its scheduled runs. */
export interface ScenarioSuspended {
  readonly kind: 'scenario-suspended';
  readonly scenario: string;
  readonly state: 'delayed' | 'backoff';
  readonly untilMs: number;
  readonly error: PlainObject | undefined;
}

/** A scenario was deactivated automatically. */
export interface ScenarioOff {
  readonly kind: 'scenario-off';
  readonly scenario: string;
  readonly reason: string;
  readonly error: PlainObject | undefined;
}

/**
 * Work was given up because every process that ran it ended: the event is dead, or the incomplete execution waits for
 * a person. A poll instead reports that its scenario was deactivated.
 */
export interface WorkGivenUp {
  readonly kind: 'given-up';
  readonly scenario: string;
  readonly source: Exclude<RunSource, { readonly kind: 'poll' }>;
  /** Number of starts. */
  readonly attempts: number;
  readonly error: PlainObject;
}

/** An error that no other notice reports: an unavailable store or a bug. The host continues. */
export interface HostProblem {
  readonly kind: 'problem';
  readonly error: unknown;
}

/** A notice, discriminated by `kind`. Later versions may add kinds. */
export type HostNotice =
  | CallAccepted
  | CallRefused
  | RunStarted
  | RunFinished
  | ScenarioSuspended
  | ScenarioOff
  | WorkGivenUp
  | HostProblem;

/**
 * Receives all notices of a host in order, for logs, metrics and notifications. Texts are redacted and contain no
 * hook URL. Must not block. Exceptions are ignored.
 */
export type HostObserver = (notice: HostNotice) => void;

/** Combines observers. An exception of one affects neither the others nor the host. */
export function tellAll(...observers: readonly (HostObserver | undefined)[]): HostObserver {
  const known = observers.filter((observer) => observer !== undefined);
  return (notice) => {
    for (const observer of known) {
      try {
        observer(notice);
      } catch {
        // Observers have no error channel.
      }
    }
  };
}
